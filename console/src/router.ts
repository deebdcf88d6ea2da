import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { basePrefix } from './base.ts';
import { PageFailed } from './PageFailed.tsx';
import { routeTree } from './routes.tsx';
import { parseSearch, searchText } from './search-text.ts';
import { SkeletonPage } from './ui/Skeleton.tsx';

/** A router over the route tree; tests give a history in memory. */
export const makeRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree,
    basepath: basePrefix() || '/',
    parseSearch,
    stringifySearch: searchText,
    defaultPendingComponent: SkeletonPage,
    defaultPendingMs: 150,
    defaultErrorComponent: PageFailed,
    defaultPreload: false, // Link preloads the code of a page itself
    scrollRestoration: false, // `main` scrolls, not the window
    notFoundMode: 'root',
    ...(history ? { history } : {}),
  });

export const router = makeRouter();
