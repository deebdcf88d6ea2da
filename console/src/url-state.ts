import { useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { parseSearch, type Search, searchText } from './search-text.ts';

export interface UrlState {
  values: Search;
  /** `undefined` takes a key away; keys not named stay. `push` makes a step for Back, `replace` makes none. */
  set(
    changes: Readonly<Record<string, string | readonly string[] | undefined>>,
    how: 'push' | 'replace',
  ): void;
}

/** What a page keeps in the address: filters, page number, sort. */
export function useUrlState(): UrlState {
  const router = useRouter();
  const text = useRouterState({ select: ({ location }) => location.searchStr });
  const values = useMemo(() => parseSearch(text), [text]);
  const set = useCallback<UrlState['set']>(
    (changes, how) => {
      // From the address itself: two changes within one turn must not undo each other.
      const { pathname, search, hash } = router.history.location;
      router.history[how](`${pathname}${searchText({ ...parseSearch(search), ...changes })}${hash}`);
    },
    [router],
  );
  return useMemo(() => ({ values, set }), [values, set]);
}

/** The open tab, kept in the address; an unknown name is the first tab. */
export function useUrlTab<const V extends string>(tabs: readonly V[], key = 'tab'): [V, (tab: V) => void] {
  const { values, set } = useUrlState();
  const open = tabs.find((tab) => tab === values[key]) ?? tabs[0]!;
  return [open, (tab) => set({ [key]: tab === tabs[0] ? undefined : tab }, 'replace')];
}
