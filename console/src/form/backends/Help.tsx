import type { ReactNode } from 'react';
import { useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { toast } from '../../ui/toast.ts';
import classes from './backends.module.css';
import { words } from './words.ts';

/** Which placeholders the field above takes; one is copied by a click. */
export function Placeholders({ names, text }: { names: readonly string[]; text?: string | undefined }) {
  const w = useWords(words);
  const copy = async (text: string) => {
    const done = await copyText(text);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  return (
    <details className={classes.help}>
      <summary>{w.placeholders}</summary>
      <p>{text ?? w.placeholdersText}</p>
      <div className={classes.chips}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className={classes.chip}
            aria-label={w.copyPlaceholder({ name: `\${${name}}` })}
            onClick={() => void copy(`\${${name}}`)}
          >
            {`\${${name}}`}
          </button>
        ))}
      </div>
    </details>
  );
}

/** What the data behind the query above may look like: foldable, to be copied. */
export function Example({
  text,
  title,
  children,
}: {
  text: string;
  title?: string | undefined;
  children?: ReactNode;
}) {
  const w = useWords(words);
  return (
    <details className={classes.help}>
      <summary>{title ?? w.example}</summary>
      {children}
      <div className={classes.example}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>{text}</pre>
        <CopyButton text={text} />
      </div>
    </details>
  );
}
