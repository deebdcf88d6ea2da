import type { Language } from '../i18n/language.ts';
import { useLanguage, useWords, wordsIn } from '../i18n/words.ts';
import { Link } from '../Link.tsx';
import { paths } from '../paths.ts';
import { type Fact, Facts } from '../ui/Facts.tsx';
import { formatNumber, formatRate } from '../ui/format.ts';
import { RelativeTime } from '../ui/RelativeTime.tsx';
import { Mark, State } from '../ui/State.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { counterOf, type FlowNode } from './flow.ts';
import styles from './graph.module.css';
import { lackOf, pageOf, titleOf } from './NodeCard.tsx';
import { words } from './words.ts';

const SHOWN_MAX = 12;

/** What is known of the node that is looked at. */
export function NodeFacts({
  node,
  before,
  after,
  feeds,
  onGo,
  onOpenGroup,
}: {
  node: FlowNode | undefined;
  before: readonly FlowNode[];
  after: readonly FlowNode[];
  feeds: readonly FlowNode[];
  onGo: (id: string) => void;
  onOpenGroup: (id: string) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  if (node === undefined)
    return (
      <section className={styles.facts} aria-label={w.facts}>
        <p className={styles.quiet}>{w.pick}</p>
        <p className={styles.quiet}>{w.keys}</p>
        <Legend />
      </section>
    );
  const { rule, bridge } = node;
  const lack = lackOf(node, language);
  const page = pageOf(node);
  const why = bridge?.enable ? bridge.status_reason : undefined;
  return (
    <section className={styles.facts} aria-label={w.facts}>
      <div>
        <p className={styles.quiet}>{w[`kind.${node.kind}`]}</p>
        <h2>
          <bdi>{titleOf(node, language)}</bdi>
        </h2>
      </div>
      {lack ? <Mark tone="bad">{lack}</Mark> : node.state && <State is={node.state} wanted={!node.off} />}
      {node.missing && (
        <p className={styles.quiet}>{node.missing === 'bridge' ? w.missingText : w.directionText}</p>
      )}
      {node.loop && node.kind !== 'topic' && (
        <>
          <Mark tone="warn">{w.loop}</Mark>
          <p className={styles.quiet}>{w.loopText}</p>
        </>
      )}
      {page && (
        <Link to={page} className={styles.go}>
          {rule ? w.openRule : w.openBridge}
        </Link>
      )}
      {node.missing === 'bridge' && (
        <Link to={paths.bridgeCreate()} className={styles.go}>
          {w.createBridge}
        </Link>
      )}
      {(node.kind === 'group' || node.kind === 'topics') && (
        <button
          type="button"
          className={styles.button}
          onClick={() =>
            onOpenGroup(node.kind === 'group' ? node.id : node.id.replace(/^(sources|outputs):/, ''))
          }
        >
          {w.openGroup}
        </button>
      )}
      <Facts facts={factsOf(node, why, language)} columnWidth={90} />
      {rule && (
        <div>
          <h3>{w.sql}</h3>
          <pre>{visibleSql(rule.sql)}</pre>
        </div>
      )}
      <Nodes title={w.sources} nodes={before} onGo={onGo} />
      <Nodes title={w.outputs} nodes={after} onGo={onGo} />
      <Nodes title={w.feeds} nodes={feeds} onGo={onGo} />
      {node.holds && (
        <Held title={w[`kind.${node.kind}`]} names={node.holds.map(({ name }) => visibleText(name))} />
      )}
    </section>
  );
}

const LEGEND = ['busy', 'plain', 'off', 'broken', 'loop'] as const;

function Legend() {
  const w = useWords(words);
  return (
    <ul>
      {LEGEND.map((look) => (
        <li key={look} className={styles.legend}>
          <svg width={36} height={10} aria-hidden="true">
            <g className={styles.line} data-look={look} data-back={look === 'loop' || undefined}>
              <path d="M0 5H36" />
            </g>
          </svg>
          {w[`legend.${look}`]}
        </li>
      ))}
    </ul>
  );
}

const visibleSql = (sql: string): string => sql.split('\n').map(visibleText).join('\n');

function factsOf(
  { rule, bridge, counters, kind, rate }: FlowNode,
  why: string | undefined,
  language: Language,
): Fact[] {
  const w = wordsIn(words, language);
  const facts: Fact[] = [];
  const count = (label: string, name: string) => {
    const value = counterOf(counters, name);
    if (value !== undefined) facts.push({ label, value: formatNumber(value, language) });
  };
  const speed = (label: string, value: number | undefined) => {
    if (value !== undefined) facts.push({ label, value: w.perSecond({ rate: formatRate(value, language) }) });
  };
  if (why) facts.push({ label: w.why, value: visibleText(why) });
  if (rule || kind === 'group') {
    count(w.matched, 'matched');
    count(w.passed, 'passed');
    count(w.failedFact, kind === 'group' ? 'failed' : 'failed.exception');
    count(w.noResult, 'failed.no_result');
    count(w.actionsFailed, 'actions.failed');
    speed(w.rate, rate);
    speed(w.rate5m, counterOf(counters, 'matched.rate.last5m'));
  }
  if (bridge) {
    if (kind === 'ingress') {
      count(w.received, 'received');
      speed(w.rate, rate);
    } else {
      count(w.matched, 'matched');
      count(w.sent, 'success');
      count(w.sentFailed, 'failed');
      count(w.droppedFact, 'dropped');
      count(w.queuing, 'queuing');
      count(w.inflight, 'inflight');
      speed(w.rate, rate);
      speed(w.rate5m, counterOf(counters, 'rate_last5m'));
    }
    facts.push({ label: w.type, value: bridge.type });
    if (bridge.description) facts.push({ label: w.note, value: visibleText(bridge.description) });
  }
  if (rule) {
    if (rule.name) facts.push({ label: w.name, value: visibleText(rule.name) });
    if (rule.description) facts.push({ label: w.note, value: visibleText(rule.description) });
    facts.push({ label: w.created, value: <RelativeTime at={rule.created_at} /> });
  }
  return facts;
}

function Nodes({
  title,
  nodes,
  onGo,
}: {
  title: string;
  nodes: readonly FlowNode[];
  onGo: (id: string) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  if (nodes.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {nodes.slice(0, SHOWN_MAX).map((node) => (
          <li key={node.id}>
            <button type="button" className={styles.toNode} onClick={() => onGo(node.id)}>
              <bdi>{titleOf(node, language)}</bdi>
            </button>
          </li>
        ))}
        {nodes.length > SHOWN_MAX && (
          <li className={styles.quiet}>{w.more({ count: nodes.length - SHOWN_MAX })}</li>
        )}
      </ul>
    </div>
  );
}

function Held({ title, names }: { title: string; names: readonly string[] }) {
  const w = useWords(words);
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {names.slice(0, SHOWN_MAX).map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
        {names.length > SHOWN_MAX && (
          <li className={styles.quiet}>{w.more({ count: names.length - SHOWN_MAX })}</li>
        )}
      </ul>
    </div>
  );
}
