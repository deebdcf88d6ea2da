import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setLanguage } from '../i18n/language.ts';
import { Confirms } from './Confirms.tsx';
import { confirm } from './confirm.ts';
import { shortText } from './short-text.ts';

let drop: () => void;

function List({ onKey }: { onKey: () => void }) {
  const [there, setThere] = useState(true);
  drop = () => setThere(false);
  return (
    <main>
      <section tabIndex={-1} aria-label="Clients, rows">
        {there && (
          <button type="button" onClick={() => void confirm('Kick out a?')} onKeyDown={onKey}>
            Actions for a
          </button>
        )}
      </section>
      <Confirms />
    </main>
  );
}

const onKey = vi.fn();
const show = () => {
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <List onKey={onKey} />
    </MantineProvider>,
  );
  return userEvent.setup();
};
const opener = () => screen.getByRole('button', { name: 'Actions for a' });
const dialog = async () => within(await screen.findByRole('dialog'));

beforeEach(() => {
  onKey.mockClear();
});

test('after the answer a shield takes the second click of a double click, and goes', async () => {
  const user = show();
  await user.click(opener());
  expect(screen.queryByTestId('shield')).toBeNull();
  await user.click((await dialog()).getByRole('button', { name: 'Confirm' }));
  const shield = screen.getByTestId('shield');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(fireEvent.mouseDown(shield)).toBe(false); // the focus stays where it was given back to
  fireEvent.keyDown(opener(), { key: 'Enter', repeat: true });
  expect(onKey).not.toHaveBeenCalled();
  await waitFor(() => expect(screen.queryByTestId('shield')).toBeNull());
  fireEvent.keyDown(opener(), { key: 'Enter', repeat: true });
  expect(onKey).toHaveBeenCalledTimes(1);
});

test.each(['Confirm', 'Cancel'])('after "%s" the focus is where the question came from', async (name) => {
  const user = show();
  await user.click(opener());
  await user.click((await dialog()).getByRole('button', { name }));
  await waitFor(() => expect(document.activeElement).toBe(opener()));
});

test('when the row goes, then or later, its list has the focus', async () => {
  const user = show();
  await user.click(opener());
  await user.click((await dialog()).getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(document.activeElement).toBe(opener()));
  act(() => drop());
  const region = screen.getByRole('region', { name: 'Clients, rows' });
  await waitFor(() => expect(document.activeElement).toBe(region));
});

test('a row that went while the question was open leaves the focus to its list', async () => {
  const user = show();
  await user.click(opener());
  const { getByRole } = await dialog();
  act(() => drop());
  await user.click(getByRole('button', { name: 'Confirm' }));
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Clients, rows' }));
});

test('a long id is shortened in the middle; the whole one is there to hover and to copy', async () => {
  const user = show();
  const whole = `fleet-${'x'.repeat(60_000)}-east`;
  const title = `Kick out ${shortText(whole)}?`;
  expect(title).toMatch(/^Kick out fleet-x{54}…x{25}-east \(60,011 characters\)\?$/);
  act(() => void confirm({ title, whole }));
  const { getByText, getByRole } = await dialog();
  expect(getByText(title).title).toMatch(/^fleet-x{1000}/);
  await user.click(getByRole('button', { name: /^Copy fleet-/ }));
  expect(await navigator.clipboard.readText()).toBe(whole);
});

test('a short id is whole, a long one keeps its characters and its disguise shown', () => {
  expect(shortText('sensor-\u202e1')).toBe('sensor-\\u202e1');
  expect(shortText('😀'.repeat(61))).toBe('😀'.repeat(61));
  expect(shortText('😀'.repeat(200))).toBe(`${'😀'.repeat(60)}…${'😀'.repeat(30)} (200 characters)`);
  setLanguage('zh');
  expect(shortText('a'.repeat(121))).toContain('(121 个字符)');
});
