import { act, cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { CodeEditor } from './CodeEditor.tsx';

/** Stands for the machinery: tells what is typed, and hears what is put into it from outside. */
const machinery = vi.hoisted(() => ({
  type: (_: string): void => undefined,
  put: [] as string[],
}));
vi.mock('./open-editor.ts', () => ({
  ABOUT: 'about',
  openEditor: (_: ShadowRoot, { onText }: { onText: (text: string) => void }) => {
    machinery.type = onText;
    return {
      configure: () => undefined,
      setText: (text: string) => machinery.put.push(text),
      setProblems: () => undefined,
      goTo: () => undefined,
      focus: () => undefined,
      destroy: () => undefined,
    };
  },
}));
afterEach(cleanup);

test('who types faster than the form answers loses nothing; a text from elsewhere comes in', async () => {
  const told: string[] = [];
  const show = (value: string) => (
    <CodeEditor label="Rules" language="acl" value={value} onChange={(text) => told.push(text)} />
  );
  const { rerender, container } = render(show(''));
  await waitFor(() => expect(container.querySelector('[aria-busy="true"]')).toBeNull());
  await waitFor(() => {
    machinery.type('{');
    expect(told.length).toBeGreaterThan(0);
  });
  for (const text of ['{a', '{al', '{all']) act(() => machinery.type(text));
  machinery.put.length = 0;
  rerender(show('{a')); // late, and one behind the next
  rerender(show('{all'));
  expect(machinery.put).toEqual([]);
  rerender(show('{allow, all}.'));
  expect(machinery.put).toEqual(['{allow, all}.']);
  rerender(show('{a')); // an old text that is put back is from elsewhere too
  expect(machinery.put).toEqual(['{allow, all}.', '{a']);
});
