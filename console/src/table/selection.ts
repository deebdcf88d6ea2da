/** What is ticked, over all pages: some ids, or all that match except some. */
export type Selection =
  | { kind: 'some'; ids: ReadonlySet<string> }
  | { kind: 'all'; except: ReadonlySet<string> };

export const NOTHING: Selection = { kind: 'some', ids: new Set() };
export const EVERYTHING: Selection = { kind: 'all', except: new Set() };

export const isSelected = (selection: Selection, id: string): boolean =>
  selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id);

/** How many; `count` is the number of rows that match, undefined when nobody counted. */
export function selectedCount(selection: Selection, count: number | undefined): number {
  if (selection.kind === 'some') return selection.ids.size;
  return Math.max(0, (count ?? 0) - selection.except.size);
}

/** Ticks or unticks the ids; other pages keep theirs. */
export function choose(selection: Selection, ids: readonly string[], on: boolean): Selection {
  const set = new Set(selection.kind === 'some' ? selection.ids : selection.except);
  const add = selection.kind === 'some' ? on : !on;
  for (const id of ids) {
    if (add) set.add(id);
    else set.delete(id);
  }
  return selection.kind === 'some' ? { kind: 'some', ids: set } : { kind: 'all', except: set };
}

/** The ids from the last one clicked to this one, as a shift-click means it. */
export function range(page: readonly string[], from: string | undefined, to: string): string[] {
  const start = from === undefined ? -1 : page.indexOf(from);
  const end = page.indexOf(to);
  if (start < 0 || end < 0) return [to];
  return page.slice(Math.min(start, end), Math.max(start, end) + 1);
}

export function pageState(selection: Selection, page: readonly string[]): 'none' | 'some' | 'all' {
  const ticked = page.filter((id) => isSelected(selection, id)).length;
  if (ticked === 0) return 'none';
  return ticked === page.length ? 'all' : 'some';
}
