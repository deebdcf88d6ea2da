import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Page } from './Page.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  show('The first'); // which leaves the focus where the browser has put it
  cleanup();
});

const show = (title: string) =>
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <main>
        <Page title={title}>
          <input aria-label="In the page" />
        </Page>
      </main>
      <div role="dialog">
        <input aria-label="In the dialog" />
      </div>
    </MantineProvider>,
  );

test('a page that is opened takes the focus to its title', () => {
  show('The next');
  vi.advanceTimersByTime(1000);
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'The next' }));
  expect(document.title).toBe('The next · mqdeck');
});

test.each(['In the page', 'In the dialog'])('and not from somebody who types already: %s', (where) => {
  show('The next');
  screen.getByLabelText(where).focus();
  vi.advanceTimersByTime(1000);
  expect(document.activeElement).toBe(screen.getByLabelText(where));
});
