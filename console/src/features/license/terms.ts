import type { License } from '@mqdeck/contract/license';

/** How many clients may be connected; newer clusters count sessions. */
export const allowedBy = ({ max_connections, max_sessions }: License): number | undefined =>
  max_connections ?? max_sessions;
