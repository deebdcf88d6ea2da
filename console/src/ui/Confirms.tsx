import { lazy, Suspense, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import styles from './Confirms.module.css';
import { getQuestion, onQuestionChange } from './confirm.ts';
import { keepFocus } from './keep-focus.ts';

const ConfirmDialog = lazy(() =>
  import('./ConfirmDialog.tsx').then(({ ConfirmDialog }) => ({ default: ConfirmDialog })),
);

/** The second click of a double click comes within this time, on most machines. */
const SHIELD_MS = 450;

/** Where `confirm()` asks; the dialog is loaded with the first question. */
export function Confirms() {
  const question = useSyncExternalStore(onQuestionChange, getQuestion);
  const [shielded, setShielded] = useState(false);

  useLayoutEffect(() => {
    if (!question) return;
    const giveBack = keepFocus();
    return () => {
      giveBack();
      setShielded(true);
    };
  }, [question]);
  useEffect(() => {
    if (!shielded || question) return;
    const end = () => setShielded(false);
    const timer = setTimeout(end, SHIELD_MS);
    window.addEventListener('keydown', swallowRepeated, true);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', swallowRepeated, true);
    };
  }, [shielded, question]);

  return (
    <>
      {question && (
        <Suspense fallback={null}>
          <ConfirmDialog question={question} />
        </Suspense>
      )}
      {/* The second click on "Kick out" must not open what lies behind the dialog that is gone. */}
      {shielded && !question && (
        // biome-ignore lint/a11y/noStaticElementInteractions: nothing can be done with it, it only keeps the focus
        <div className={styles.shield} data-testid="shield" onMouseDown={stay} />
      )}
    </>
  );
}

/** A click on nothing would take the focus away from where it was just given back to. */
const stay = (event: React.MouseEvent) => event.preventDefault();

/** Enter held down answers the question, not the row behind it too. */
function swallowRepeated(event: KeyboardEvent): void {
  if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ')) return;
  event.preventDefault();
  event.stopPropagation();
}
