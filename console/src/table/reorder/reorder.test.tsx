import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { getToasts } from '../../ui/toast.ts';
import { columnsOf } from '../columns.tsx';
import { OrderedTable } from './OrderedTable.tsx';
import { inOrder, moved, type Position, positionOf } from './order.ts';

test('a move names where the thing stands now', () => {
  const ids = ['a', 'b', 'c', 'd'];
  expect(moved(ids, 'c', 0)).toEqual(['c', 'a', 'b', 'd']);
  expect(moved(ids, 'a', 9)).toEqual(['b', 'c', 'd', 'a']);
  expect(moved(ids, 'a', -1)).toBe(ids);
  expect(moved(ids, 'x', 1)).toBe(ids);
  expect(positionOf(['c', 'a', 'b', 'd'], 'c', true)).toBe('front');
  expect(positionOf(['b', 'c', 'd', 'a'], 'a', false)).toBe('rear');
  expect(positionOf(['a', 'c', 'b', 'd'], 'c', true)).toBe('before:b');
  expect(positionOf(['a', 'c', 'b', 'd'], 'b', false)).toBe('after:c');
});

test('rows that came meanwhile stand at the end, those that are gone do not come back', () => {
  const rows = [{ id: 'a' }, { id: 'b' }, { id: 'new' }];
  expect(inOrder(rows, ({ id }) => id, ['gone', 'b', 'a']).map(({ id }) => id)).toEqual(['b', 'a', 'new']);
});

interface Link {
  id: string;
}
const column = columnsOf<Link>({ id: { en: 'Id', zh: 'ID' } });
const columns = [column.text('id')];

/** A broker that keeps an order; `answer` decides when it answers and whether it refuses. */
function Chain({
  calls,
  answer,
}: {
  calls: [string, Position][];
  answer: (position: Position) => Promise<void>;
}) {
  const [ids, setIds] = useState(['a', 'b', 'c']);
  const rows = ids.map((id) => ({ id }));
  return (
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <OrderedTable
        rows={rows}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ id }) => id.toUpperCase()}
        label="Chain"
        empty="Nothing"
        move={async (id, position) => {
          calls.push([id, position]);
          await answer(position);
          const [, neighbour] = position.split(':');
          setIds((before) => {
            const rest = before.filter((one) => one !== id);
            const at =
              position === 'front'
                ? 0
                : position === 'rear'
                  ? rest.length
                  : rest.indexOf(neighbour!) + (position.startsWith('after') ? 1 : 0);
            return [...rest.slice(0, at), id, ...rest.slice(at)];
          });
        }}
      />
    </MantineProvider>
  );
}

const order = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.dataset.row);
const row = (id: string) => screen.getAllByRole('row').find(({ dataset }) => dataset.row === id)!;

test('Alt and an arrow move the focused row at once, tell it, and keep the focus on it', async () => {
  const calls: [string, Position][] = [];
  render(<Chain calls={calls} answer={() => Promise.resolve()} />);
  const user = userEvent.setup();
  row('a').focus();
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(order()).toEqual(['b', 'a', 'c']);
  expect(await screen.findByText('A is now 2 of 3')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(row('a')));
  await user.keyboard('{Alt>}{ArrowDown}{ArrowDown}{ArrowUp}{/Alt}');
  await waitFor(() => expect(calls).toHaveLength(3));
  expect(calls).toEqual([
    ['a', 'after:b'],
    ['a', 'rear'],
    ['a', 'before:c'],
  ]);
  await waitFor(() => expect(order()).toEqual(['b', 'a', 'c']));
});

test('a key that follows the answer at once goes on from the new order', async () => {
  const calls: [string, Position][] = [];
  let answer = (): void => undefined;
  render(<Chain calls={calls} answer={() => new Promise((resolve) => (answer = resolve))} />);
  const press = (key: string) => fireEvent.keyDown(row('a'), { key, altKey: true });
  act(() => row('a').focus());
  press('ArrowDown');
  press('ArrowDown');
  await waitFor(() => expect(calls).toHaveLength(1));
  answer();
  await waitFor(() => expect(calls).toHaveLength(2));
  answer();
  for (let i = 0; i < 10; i += 1) await Promise.resolve(); // the move is over, the rows are not drawn yet
  press('ArrowDown'); // it is the last already
  press('ArrowUp');
  await waitFor(() => expect(calls).toHaveLength(3));
  expect(calls.map(([, position]) => position)).toEqual(['after:b', 'rear', 'before:c']);
});

test('the menu moves a row; what cannot be done says why', async () => {
  const calls: [string, Position][] = [];
  render(<Chain calls={calls} answer={() => Promise.resolve()} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Actions for a' }));
  const up = await screen.findByRole('menuitem', { name: /^Move up/ });
  expect(up.textContent).toContain('It is the first already');
  await user.click(up);
  expect(calls).toEqual([]);
  await user.click(screen.getByRole('menuitem', { name: 'Move to bottom' }));
  await waitFor(() => expect(calls).toEqual([['a', 'rear']]));
  await waitFor(() => expect(order()).toEqual(['b', 'c', 'a']));
});

test('a move that is refused is taken back and told, and those behind it are not sent', async () => {
  const calls: [string, Position][] = [];
  let refuse: (error: Error) => void = () => undefined;
  render(
    <Chain
      calls={calls}
      answer={() =>
        new Promise((_, reject) => {
          refuse = reject;
        })
      }
    />,
  );
  const user = userEvent.setup();
  row('c').focus();
  await user.keyboard('{Alt>}{ArrowUp}{ArrowUp}{/Alt}');
  expect(order()).toEqual(['c', 'a', 'b']);
  await waitFor(() => expect(calls).toHaveLength(1));
  refuse(new Error('no such authenticator'));
  await waitFor(() => expect(order()).toEqual(['a', 'b', 'c']));
  const told = 'C was not moved, the order is as before: no such authenticator';
  expect(within(screen.getByText(told)).getByText(told)).toBeTruthy();
  expect(getToasts().map(({ text }) => text)).toEqual([told]);
  expect(calls).toEqual([['c', 'before:b']]);
});
