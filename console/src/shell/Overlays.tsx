import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '../api/session.ts';
import { isEnterprise } from '../preferences.ts';
import { openOverlay, useOverlay } from './overlay.ts';
import { loadResults, Palette } from './Palette.tsx';

const loadKeys = () => import('./KeyboardHelp.tsx');
const KeyboardHelp = lazy(() => loadKeys().then(({ KeyboardHelp }) => ({ default: KeyboardHelp })));

const LicenseNotice = lazy(() =>
  import('../features/license/LicenseNotice.tsx').then(({ LicenseNotice }) => ({ default: LicenseNotice })),
);

/** How long the page may keep the browser busy before the overlays are fetched all the same. */
const IDLE_MS = 3000;

/** The palette and the list of keys; what of them comes later is fetched once the page has come to rest. */
export function Overlays() {
  const overlay = useOverlay();
  const session = useSession();
  const close = () => openOverlay(null);
  useEffect(() => {
    const fetchAll = () => {
      // Only a head start: who opens one of them asks again, and hears of a failure.
      void Promise.allSettled([loadResults(), loadKeys()]);
    };
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(fetchAll, IDLE_MS);
      return () => clearTimeout(timer);
    }
    const waiting = requestIdleCallback(fetchAll, { timeout: IDLE_MS });
    return () => cancelIdleCallback(waiting);
  }, []);
  if (overlay === 'palette') return <Palette close={close} />;
  return (
    <Suspense fallback={null}>
      {overlay === 'keys' && <KeyboardHelp close={close} />}
      {session !== null && isEnterprise() && <LicenseNotice />}
    </Suspense>
  );
}
