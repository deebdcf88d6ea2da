import { Button, Modal } from '@mantine/core';
import { useWords } from '../i18n/words.ts';
import styles from './ConfirmDialog.module.css';
import { CopyButton } from './Copyable.tsx';
import { answerConfirm, type ConfirmOptions } from './confirm.ts';
import { shortText } from './short-text.ts';
import { visibleText } from './visible-text.ts';
import { words } from './words.ts';

/** Of a whole id as a hint: browsers draw no more of it anyway. */
const HINT_MAX = 2000;

/** The question of `confirm()`. The way back has the focus, so that Enter destroys nothing. */
export function ConfirmDialog({ question }: { question: ConfirmOptions }) {
  const w = useWords(words);
  const { title, whole, text, action, danger } = question;
  return (
    <Modal
      opened
      onClose={() => answerConfirm(false)}
      returnFocus={false}
      title={
        <span className={styles.title} title={whole && visibleText(whole.slice(0, HINT_MAX))}>
          {title}
          {whole && <CopyButton text={whole} label={w.copyThing({ text: shortText(whole) })} />}
        </span>
      }
      closeButtonProps={{ 'aria-label': w.close }}
      size={440}
    >
      {text && <p className={styles.text}>{text}</p>}
      <div className={styles.buttons}>
        <Button data-autofocus onClick={() => answerConfirm(false)}>
          {w.cancel}
        </Button>
        <Button variant="filled" {...(danger ? { color: 'red' } : {})} onClick={() => answerConfirm(true)}>
          {action ?? w.confirm}
        </Button>
      </div>
    </Modal>
  );
}
