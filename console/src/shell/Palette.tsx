import { type KeyboardEvent, lazy, Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconSearch } from '../ui/icons.tsx';
import styles from './Palette.module.css';
import { words } from './words.ts';

export const loadResults = () => import('./PaletteResults.tsx');
const PaletteResults = lazy(() => loadResults().then(({ PaletteResults }) => ({ default: PaletteResults })));

/** Finds pages, deeds and clients. The field is there with the key that asks for it; what it finds may come later. */
export function Palette({ close }: { close: () => void }) {
  const w = useWords(words);
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [count, setCount] = useState(0);
  const [entered, setEntered] = useState(false);
  const listId = useId();

  // Before the next key: it belongs to the field already.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    field.current?.focus();
    return () => shown?.close(); // gives the focus back
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // Enter ends the word of an input method
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) setEntered(true);
    else setAt((before) => before + step);
  };
  const optionId = (nr: number) => `${listId}-${nr}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={w.paletteLabel}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className={styles.frame}>
        <div className={styles.field}>
          <IconSearch size={17} />
          <input
            ref={field}
            className={styles.input}
            type="text"
            role="combobox"
            aria-label={w.paletteLabel}
            aria-expanded="true"
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={count > 0 ? optionId(at) : undefined}
            placeholder={w.palettePlaceholder}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
              setEntered(false);
            }}
            onKeyDown={onKeyDown}
          />
          <kbd>Esc</kbd>
        </div>
        <div id={listId} role="listbox" aria-label={w.paletteLabel} className={styles.list}>
          <Suspense fallback={null}>
            <PaletteResults
              text={text}
              at={at}
              onAt={setAt}
              optionId={optionId}
              onCount={setCount}
              entered={entered}
              onEntered={() => setEntered(false)}
              close={close}
            />
          </Suspense>
        </div>
        <div role="status" className="visually-hidden">
          {w.results({ count })}
        </div>
      </div>
    </dialog>
  );
}
