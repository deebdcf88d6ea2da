import { api } from '@mqdeck/contract/api';
import type { ExploredNode } from '@mqdeck/contract/topic-explorer';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { fromBase64, suggestFormat, toHex } from '../../payload/payload-formats.ts';
import { formatNumber, formatRate } from '../../ui/format.ts';
import { IconChevronDown, IconChevronRight } from '../../ui/icons.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './topic-explorer.module.css';
import { words } from './words.ts';

type Sort = 'name' | 'messages' | 'rate' | 'last_at';
const PREVIEW_CHARS = 60;

interface TreeProps {
  rows: readonly ExploredNode[];
  hasMore: boolean;
  /** Whole topics beside each other: what a search has found. */
  flat: boolean;
  sort: Sort;
  poll: number | undefined;
  chosen: string | undefined;
  onChoose: (topic: string) => void;
}

/** Arrow keys go through it: up and down, right opens a level, left closes it; Enter chooses. */
export function TopicTree(props: TreeProps) {
  const w = useWords(words);
  const tree = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const [opened, setOpened] = useState<readonly string[]>([]);
  const { rows, chosen } = props;
  const first = focused ?? (rows.some(({ topic }) => topic === chosen) ? chosen : rows[0]?.topic);

  const move = (by: number | 'first' | 'last') => {
    const items = [...(tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])];
    const at = items.findIndex(
      (item) => item.contains(document.activeElement) && item === document.activeElement,
    );
    const to = by === 'first' ? 0 : by === 'last' ? items.length - 1 : Math.max(0, at + by);
    items[Math.min(to, items.length - 1)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number | 'first' | 'last'> = {
      ArrowDown: 1,
      ArrowUp: -1,
      Home: 'first',
      End: 'last',
      PageDown: 10,
      PageUp: -10,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
  return (
    <div ref={tree} role="tree" aria-label={w.tree} className={styles.tree} onKeyDown={onKeyDown}>
      <Rows
        {...props}
        level={1}
        opened={opened}
        onOpen={(topic, open) => setOpened(open ? [...opened, topic] : opened.filter((one) => one !== topic))}
        focused={first}
        onFocus={setFocused}
      />
    </div>
  );
}

interface RowsProps extends TreeProps {
  level: number;
  opened: readonly string[];
  onOpen: (topic: string, open: boolean) => void;
  focused: string | undefined;
  onFocus: (topic: string) => void;
}

function Rows({ rows, hasMore, ...rest }: RowsProps) {
  const w = useWords(words);
  const language = useLanguage();
  return (
    <>
      {rows.map((node) => (
        <Row key={node.topic} node={node} {...rest} />
      ))}
      {hasMore && (
        <div role="none" className={styles.more}>
          {w.more({ count: formatNumber(rows.length, language) })}
        </div>
      )}
    </>
  );
}

function Row({ node, ...props }: Omit<RowsProps, 'rows' | 'hasMore'> & { node: ExploredNode }) {
  const { level, flat, chosen, onChoose, opened, onOpen, focused, onFocus } = props;
  const { topic, children } = node;
  const own = useRef<HTMLDivElement>(null);
  const canOpen = children > 0 && !flat;
  const isOpen = canOpen && opened.includes(topic);
  const choose = () => {
    if (node.own) onChoose(topic);
    else if (canOpen) onOpen(topic, !isOpen);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== own.current) return;
    if (event.key === 'Enter' || event.key === ' ') choose();
    else if (event.key === 'ArrowRight' && canOpen && !isOpen) onOpen(topic, true);
    else if (event.key === 'ArrowLeft' && isOpen) onOpen(topic, false);
    else if (event.key === 'ArrowLeft')
      own.current?.parentElement?.closest<HTMLElement>('[role=treeitem]')?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={own}
      role="treeitem"
      aria-level={level}
      aria-expanded={canOpen ? isOpen : undefined}
      aria-selected={topic === chosen}
      tabIndex={topic === focused ? 0 : -1}
      className={styles.item}
      onKeyDown={onKeyDown}
      onFocus={(event) => event.target === own.current && onFocus(topic)}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the item itself takes the keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the item itself takes the keys */}
      <div className={styles.row} data-level={Math.min(level, 12)} onClick={choose}>
        {canOpen ? (
          <span
            aria-hidden="true"
            className={styles.toggle}
            onClick={(event) => {
              event.stopPropagation();
              onOpen(topic, !isOpen);
            }}
          >
            {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
          </span>
        ) : (
          <span className={styles.toggle} />
        )}
        <NodeText node={node} flat={flat} />
      </div>
      {isOpen && <Branch {...props} parent={topic} level={level + 1} />}
    </div>
  );
}

/** The levels below one; they are asked for only while it is open. */
function Branch({ parent, ...props }: Omit<RowsProps, 'rows' | 'hasMore'> & { parent: string }): ReactNode {
  const { data } = useEndpoint(
    api.topicExplorer.tree,
    { query: { parent, sort: props.sort } },
    { quiet: true, progress: false, poll: props.poll, keepPrevious: false },
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: the group of a tree
    <div role="group" className={styles.group}>
      {data && <Rows rows={data.data} hasMore={data.hasnext} {...props} />}
    </div>
  );
}

function NodeText({ node, flat }: { node: ExploredNode; flat: boolean }) {
  const w = useWords(words);
  const language = useLanguage();
  const { name, topic, topics, rate, messages, own } = node;
  return (
    <>
      <bdi className={styles.name} data-own={own ? true : undefined}>
        {flat ? visibleText(topic) : name === '' ? w.emptyLevel : visibleText(name)}
      </bdi>
      {own ? (
        <span className={styles.preview}>{previewOf(own.preview)}</span>
      ) : (
        <span className={styles.preview}>{w.topics({ count: topics })}</span>
      )}
      {own?.retained && <span className={styles.mark}>{w.retainedMark}</span>}
      {own && own.subscribers === 0 && <span className={styles.mark}>{w.noSubscriber}</span>}
      <span className={styles.figure} title={w.messages}>
        {formatNumber(messages, language)}
      </span>
      <span className={styles.figure}>{w.perSecond({ rate: formatRate(rate, language) })}</span>
    </>
  );
}

/** The beginning of a value on one line; in hexadecimal where it is no text. */
function previewOf(base64: string): string {
  const parsed = fromBase64(base64);
  if (!('bytes' in parsed)) return '';
  const begin = parsed.bytes.subarray(0, 4 * PREVIEW_CHARS);
  if (suggestFormat(begin) === 'hex') return shortened(toHex(begin));
  const text = new TextDecoder().decode(begin);
  return shortened(visibleText(text.replace(/\s+/g, ' ')));
}

const shortened = (text: string): string =>
  text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
