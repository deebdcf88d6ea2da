import type { PageId } from './page-words.ts';

/** Pages with an address and a place in the menu whose screens are still to come; routes.tsx must agree to compile. */
const comingPages = ['plugins'] as const satisfies readonly PageId[];

export type ComingPage = (typeof comingPages)[number];
export type FinishedPage = Exclude<PageId, ComingPage>;

const coming: ReadonlySet<PageId> = new Set(comingPages);
export const isComing = (id: PageId): id is ComingPage => coming.has(id);
