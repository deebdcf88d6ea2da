import { OverviewPage } from './features/dashboard/OverviewPage.tsx';
import { LicenseCard } from './features/license/LicenseCard.tsx';

/** The overview, and what the edition adds to it. */
export const Overview = () => <OverviewPage license={<LicenseCard />} />;
