import { act, render, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { CodeEditor } from './CodeEditor.tsx';
import { editorModule } from './editor-module.ts';

type EditorModule = Awaited<ReturnType<typeof editorModule.load>>;

/** An editor without a screen: `type` enters a text, `put` collects the texts that the form sets. */
function editorWithoutScreen() {
  const editor = { type: (_: string): void => undefined, put: [] as string[] };
  const openEditor: EditorModule['openEditor'] = (_, { onText }) => {
    editor.type = onText;
    return {
      configure: () => undefined,
      setText: (text) => editor.put.push(text),
      setProblems: () => undefined,
      goTo: () => undefined,
      focus: () => undefined,
      destroy: () => undefined,
    };
  };
  vi.spyOn(editorModule, 'load').mockResolvedValue({ ABOUT: 'about', openEditor });
  return editor;
}

test('who types faster than the form answers loses nothing; a text from elsewhere comes in', async () => {
  const editor = editorWithoutScreen();
  const told: string[] = [];
  const show = (value: string) => (
    <CodeEditor label="Rules" language="acl" value={value} onChange={(text) => told.push(text)} />
  );
  const { rerender, container } = render(show(''));
  await waitFor(() => expect(container.querySelector('[aria-busy="true"]')).toBeNull());
  await waitFor(() => {
    editor.type('{');
    expect(told.length).toBeGreaterThan(0);
  });
  for (const text of ['{a', '{al', '{all']) act(() => editor.type(text));
  editor.put.length = 0;
  rerender(show('{a')); // late, and one behind the next
  rerender(show('{all'));
  expect(editor.put).toEqual([]);
  rerender(show('{allow, all}.'));
  expect(editor.put).toEqual(['{allow, all}.']);
  rerender(show('{a')); // an old text that is put back is from elsewhere too
  expect(editor.put).toEqual(['{allow, all}.', '{a']);
});
