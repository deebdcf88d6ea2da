import { createElement, type ReactNode, useMemo } from 'react';
import { useWords } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { type Block, type Inline, readReadme } from './markdown.ts';
import styles from './plugins.module.css';
import { words } from './words.ts';

const SHOWN_CHARS_MAX = 100_000;
/** Below the title of the page and that of the panel. */
const LEVEL_ABOVE = 2;

/** A stranger's readme: text in elements of ours, never HTML. */
export function Readme({ text }: { text: string }) {
  const w = useWords(words);
  const blocks = useMemo(() => readReadme(text.slice(0, SHOWN_CHARS_MAX)), [text]);
  return (
    <div className={styles.readme}>
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text have no other name, and do not move
        <BlockOf key={i} block={block} />
      ))}
      {text.length > SHOWN_CHARS_MAX && <p>{w.readmeCut}</p>}
    </div>
  );
}

function BlockOf({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return createElement(`h${Math.min(6, block.level + LEVEL_ABOVE)}`, null, inlines(block.parts));
    case 'paragraph':
      return <p>{inlines(block.parts)}</p>;
    case 'quote':
      return <blockquote>{inlines(block.parts)}</blockquote>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre tabIndex={0}>
          <code>{shown(block.text)}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((parts, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <li key={i}>{inlines(parts)}</li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'rule':
      return <hr />;
  }
}

/** Lines and tabs stay what they are. */
const shown = (text: string): string => text.replace(/[^\n\t]+/g, visibleText);

const inlines = (parts: readonly Inline[]): ReactNode => parts.map((part, i) => element(part, i));

function element(part: Inline, key: number): ReactNode {
  switch (part.kind) {
    case 'text':
      return shown(part.text);
    case 'code':
      return <code key={key}>{shown(part.text)}</code>;
    case 'strong':
      return <strong key={key}>{inlines(part.parts)}</strong>;
    case 'emphasis':
      return <em key={key}>{inlines(part.parts)}</em>;
    case 'link':
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer">
          {shown(part.text)}
        </a>
      );
  }
}
