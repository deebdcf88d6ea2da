import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  type AnyRouter,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { queryClient } from '../api/query-client.ts';
import { Confirms } from '../ui/Confirms.tsx';

/** Draws the page of this address, in what the app puts around its pages. `Around` hands in what a kit needs more. */
export function openPages(
  pages: Record<string, () => ReactNode>,
  address: string,
  Around: (props: { children: ReactNode }) => ReactNode = ({ children }) => children,
) {
  const root = createRootRoute();
  const routes = Object.entries(pages).map(([path, component]) =>
    createRoute({ getParentRoute: () => root, path, component }),
  );
  const router: AnyRouter = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>
        <Around>
          <main>
            <RouterProvider<AnyRouter> router={router} />
          </main>
          <Confirms />
        </Around>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup({ delay: null }), router };
}

/** One page at whatever address. */
export const openPage = (page: ReactNode, address = '/here') => openPages({ '/$': () => page }, address).user;

/** Takes the page away with what it has read: the next one begins anew. */
export function closePage(): void {
  cleanup();
  queryClient.clear();
}
