import { useSyncExternalStore } from 'react';

/** Below this width rows take several lines and the filters a sheet; table.module.css says the same. */
const QUERY = '(max-width: 640px)';

const subscribe = (listener: () => void) => {
  const media = matchMedia(QUERY);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
};

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
