import { useRouterState } from '@tanstack/react-router';
import { idOf } from '../paths.ts';
import type { PageId } from './page-words.ts';

export interface CurrentPage {
  /** Undefined on pages outside the menu: not-found, the gallery. */
  id: PageId | undefined;
  /** The thing a detail page shows. */
  thing: string | undefined;
}

/** Which page is on screen, as its route declares it. */
export function useCurrentPage(): CurrentPage {
  const id = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.page });
  const thing = useRouterState({
    select: ({ matches }) => {
      const last = matches.at(-1);
      const name = last?.staticData.thing;
      if (last === undefined || name === undefined) return undefined;
      const value = (last.params as Record<string, string>)[name];
      return value === undefined ? undefined : idOf(value);
    },
  });
  return { id, thing };
}
