import type { Language } from '../i18n/language.ts';
import { wordsIn } from '../i18n/words.ts';
import { paths } from '../paths.ts';
import { formatCompact, formatRate } from '../ui/format.ts';
import {
  IconBridge,
  IconColumns,
  IconExternal,
  IconIntegration,
  type IconProps,
  IconRefresh,
  IconRules,
  IconTerminal,
  IconTopic,
  IconWarn,
} from '../ui/icons.tsx';
import { Mark, State } from '../ui/State.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { counterOf, type FlowKind, type FlowNode } from './flow.ts';
import type { CanvasNode } from './GraphCanvas.tsx';
import styles from './graph.module.css';
import { words } from './words.ts';

/** What a card shows and says of a node. */

const signs: Record<FlowKind, (props: IconProps) => React.ReactNode> = {
  remote: IconExternal,
  topic: IconTopic,
  event: IconIntegration,
  ingress: IconBridge,
  rule: IconRules,
  group: IconRules,
  topics: IconColumns,
  console: IconTerminal,
  function: IconTerminal,
  republish: IconRefresh,
  egress: IconBridge,
};

/** What a node is called; a group by what its rules have in common. */
export function titleOf(node: FlowNode, language: Language): string {
  const w = wordsIn(words, language);
  if (node.kind === 'console') return w.consoleName;
  if (node.kind === 'topics') return w.topicsOf({ count: node.holds!.length });
  if (node.kind === 'group' && node.name === '') return w.noSource;
  return visibleText(node.name);
}

/** A page of its own, where it has one. */
export function pageOf({ kind, name, missing }: FlowNode): string | undefined {
  if (kind === 'rule') return paths.rule(name);
  if ((kind === 'ingress' || kind === 'egress') && missing !== 'bridge') return paths.bridge(name);
  return undefined;
}

interface Line {
  text: string;
  bad?: boolean;
}

/** The figures of a node in words: what it has done, and how fast it is. */
function figuresOf(node: FlowNode, language: Language): { rate?: string; counts: Line[] } {
  const w = wordsIn(words, language);
  const counts: Line[] = [];
  const note = (word: (count: string) => string, value: number | undefined, bad = false) => {
    if (value !== undefined)
      counts.push({ text: word(formatCompact(value, language)), bad: bad && value > 0 });
  };
  const { kind, counters, rate } = node;
  if (kind === 'rule' || kind === 'group') {
    note((count) => w.passedCount({ count }), counterOf(counters, 'passed'));
    const failed =
      kind === 'group'
        ? counterOf(counters, 'failed')
        : addKnown(counterOf(counters, 'failed.exception'), counterOf(counters, 'actions.failed'));
    note((count) => w.failed({ count }), failed, true);
  } else if (kind === 'egress') {
    note((count) => w.sentCount({ count }), counterOf(counters, 'success'));
    note((count) => w.dropped({ count }), counterOf(counters, 'dropped'), true);
  } else if (kind === 'ingress') {
    note((count) => w.receivedCount({ count }), counterOf(counters, 'received'));
  }
  return {
    ...(rate === undefined ? {} : { rate: w.perSecond({ rate: formatRate(rate, language) }) }),
    counts,
  };
}

const addKnown = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);

/** Why nothing can come of it, in a few words. */
export function lackOf({ missing, kind }: FlowNode, language: Language): string | undefined {
  const w = wordsIn(words, language);
  if (missing === 'bridge') return w.missing;
  if (missing === 'direction') return kind === 'ingress' ? w.noIngress : w.noEgress;
  return undefined;
}

export function cardOf(
  node: FlowNode,
  language: Language,
  neighbours: { before: readonly string[]; after: readonly string[] },
): Pick<CanvasNode, 'content' | 'look' | 'to'> {
  const w = wordsIn(words, language);
  const title = titleOf(node, language);
  const kind = w[`kind.${node.kind}`];
  const lack = lackOf(node, language);
  const { rate, counts } = figuresOf(node, language);
  const grouped = node.kind === 'group' ? w.rulesOf({ count: node.holds!.length }) : undefined;
  const Sign = signs[node.kind];
  /** The second line says what it is. */
  const said = lack === undefined && !node.state && grouped === undefined;
  return {
    to: pageOf(node),
    look:
      lack !== undefined
        ? 'faint'
        : node.off
          ? 'off'
          : node.kind === 'rule' || node.kind === 'group'
            ? 'rule'
            : 'plain',
    content: (
      <>
        <Sign size={18} />
        <bdi className={styles.name}>{title}</bdi>
        <Unseen text={said ? ', ' : `, ${kind}. `} />
        <span className={styles.second}>
          {lack !== undefined ? (
            <Mark tone="bad">{lack}</Mark>
          ) : node.state ? (
            <State is={node.state} wanted={!node.off} />
          ) : (
            <span>{grouped ?? kind}</span>
          )}
          {node.loop && node.kind !== 'topic' && <LoopMark word={w.loop} />}
          {rate !== undefined && <span>{rate}</span>}
        </span>
        {counts.length > 0 && (
          <span className={styles.third}>
            {counts.map(({ text, bad }) => (
              <span key={text} className={bad ? styles.bad : undefined}>
                {text}
              </span>
            ))}
          </span>
        )}
        {neighbours.before.length > 0 && <Unseen text={`. ${w.sources}: ${neighbours.before.join(', ')}`} />}
        {neighbours.after.length > 0 && <Unseen text={`. ${w.outputs}: ${neighbours.after.join(', ')}`} />}
      </>
    ),
  };
}

/** What the place of a card and its edges say to the eye. */
const Unseen = ({ text }: { text: string }) => <span className="visually-hidden">{text}</span>;

const LoopMark = ({ word }: { word: string }) => (
  <span className={styles.loop}>
    <IconWarn size={13} /> {word}
  </span>
);
