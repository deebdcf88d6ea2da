import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { CodeEditor, type CodeEditorProps } from './CodeEditor.tsx';
import type { CheckText, Problem } from './problem.ts';

function Sample(props: Partial<CodeEditorProps>) {
  const [value, setValue] = useState('');
  return <CodeEditor label="Rules" language="json" value={value} onChange={setValue} {...props} />;
}

test('without its machinery it is a plain field, which still works', async () => {
  const said: string[] = [];
  render(<Sample onChange={(text) => said.push(text)} />);
  await userEvent.setup().type(await screen.findByRole('textbox', { name: 'Rules' }), 'x');
  expect(said).toEqual(['x']);
});

test('JSON that is none is said with its line, and taken back once it is right', async () => {
  const user = userEvent.setup();
  render(<Sample />);
  const field = await screen.findByRole('textbox', { name: 'Rules' });
  await user.type(field, '{{"a": 1');
  const list = await screen.findByRole('list', { name: 'Problems in Rules' });
  expect(within(list).getByRole('button').textContent).toContain('Line 1The JSON ends too early');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  await user.type(field, '}');
  await waitFor(() => expect(screen.queryByRole('list')).toBeNull());
  expect(field.getAttribute('aria-invalid')).toBeNull();
  expect(screen.getByRole('status').textContent).toBe('No problems in Rules');
});

test('own problems and those found elsewhere stand in the order of their lines, the first five of them', async () => {
  const check: CheckText = () => [{ line: 3, text: 'own' }];
  const found: Problem[] = [7, 1, 5, 4, 6].map((line) => ({ line, text: 'found', severity: 'warning' }));
  render(<Sample check={check} found={found} />);
  const list = await screen.findByRole('list', { name: 'Problems in Rules' });
  expect(
    within(list)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'WarningLine 1found',
    'ErrorLine 3own',
    'WarningLine 4found',
    'WarningLine 5found',
    'WarningLine 6found',
  ]);
  expect(within(list).getByText('1 more below')).toBeTruthy();
});
