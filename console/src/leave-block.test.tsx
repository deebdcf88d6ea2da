import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useLeaveBlock } from './leave-block.ts';

function routerWith(mayLeave: () => Promise<boolean>) {
  const rootRoute = createRootRoute();
  const form = createRoute({
    getParentRoute: () => rootRoute,
    path: '/form',
    component: function Form() {
      useLeaveBlock(true, mayLeave);
      return 'a half-filled form';
    },
  });
  const pages = ['/other', '/login'].map((path) =>
    createRoute({ getParentRoute: () => rootRoute, path, component: () => `page ${path}` }),
  );
  return createRouter({
    routeTree: rootRoute.addChildren([form, ...pages]),
    history: createMemoryHistory({ initialEntries: ['/form'] }),
  });
}

test('another page waits for a yes, and a no keeps the form', async () => {
  const mayLeave = vi.fn<() => Promise<boolean>>().mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  const router = routerWith(mayLeave);
  render(<RouterProvider router={router} />);
  await screen.findByText('a half-filled form');

  router.history.push('/other');
  await vi.waitFor(() => expect(mayLeave).toHaveBeenCalledTimes(1));
  expect(screen.getByText('a half-filled form')).toBeTruthy();

  router.history.push('/other');
  await screen.findByText('page /other');
  expect(mayLeave).toHaveBeenCalledTimes(2);
});

test('the end of the session and a filter of the same page ask nothing', async () => {
  const mayLeave = vi.fn<() => Promise<boolean>>().mockResolvedValue(false);
  const router = routerWith(mayLeave);
  render(<RouterProvider router={router} />);
  await screen.findByText('a half-filled form');

  router.history.push('/form?page=2');
  await vi.waitFor(() => expect(router.state.location.searchStr).toBe('?page=2'));
  router.history.push('/login');
  await screen.findByText('page /login');
  expect(mayLeave).not.toHaveBeenCalled();
});
