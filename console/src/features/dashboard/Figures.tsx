import type { CurrentFigures } from '@mqdeck/contract/monitor';
import type { ReactNode } from 'react';
import { Sparkline } from '../../charts/Sparkline.tsx';
import type { Language } from '../../i18n/language.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { formatCompact, formatNumber, formatPercent, formatRate, NOTHING } from '../../ui/format.ts';
import { IconWarn } from '../../ui/icons.tsx';
import classes from './dashboard.module.css';
import { changeOf, type History, hoursOf, type Row } from './history.ts';
import { words } from './words.ts';

/** Beyond this a whole number does not fit its card. */
const COMPACT_FROM = 1_000_000;

/** The six figures, each with its last hour and a way to what it counts. */
export function Figures({ now, history }: { now: CurrentFigures | undefined; history: History | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  const count = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  const elsewhere = now?.dropped_elsewhere_rate ?? 0;
  const dropped = now?.dropped_msg_rate === undefined ? undefined : now.dropped_msg_rate + elsewhere;
  const rates = { history, unit: w.perSecond };
  return (
    <section className={classes.figures} aria-label={w.figures}>
      <Figure
        {...rates}
        label={w.received}
        value={now?.received_msg_rate}
        row="received"
        color={1}
        to={`${paths.metrics()}?q=messages.received`}
      />
      <Figure
        {...rates}
        label={w.sent}
        value={now?.sent_msg_rate}
        row="sent"
        color={3}
        to={`${paths.metrics()}?q=messages.sent`}
      />
      <Figure
        {...rates}
        label={w.dropped}
        hint={w.droppedHint}
        value={dropped}
        row="dropped"
        color={2}
        to={`${paths.metrics()}?q=dropped`}
        warn={(dropped ?? 0) > 0}
        aside={
          elsewhere > 0 && (
            <Link to={`${paths.metrics()}?q=dropped`} title={w.droppedHint}>
              {w.lostSome({ rate: formatRate(elsewhere, language) })}
            </Link>
          )
        }
      />
      <Figure
        label={w.connections}
        history={history}
        value={now?.connections}
        row="connections"
        color={4}
        to={paths.clients()}
        aside={
          now?.live_connections !== undefined && (
            <Link to={`${paths.clients()}?conn_state=connected`}>
              {w.liveOf({ live: count(now.live_connections) })}
            </Link>
          )
        }
      />
      <Figure
        label={w.subscriptions}
        history={history}
        value={now?.subscriptions}
        row="subscriptions"
        color={1}
        to={paths.subscriptions()}
        aside={
          now?.shared_subscriptions !== undefined && (
            <Link to={paths.subscriptions()}>{w.sharedSome({ count: count(now.shared_subscriptions) })}</Link>
          )
        }
      />
      <Figure
        label={w.topics}
        history={history}
        value={now?.topics}
        row="topics"
        color={5}
        to={paths.topics()}
        aside={
          now?.retained_msg_count !== undefined && (
            <Link to={paths.retained()}>{w.retainedSome({ count: count(now.retained_msg_count) })}</Link>
          )
        }
      />
    </section>
  );
}

function Figure({
  label,
  hint,
  value,
  unit,
  history,
  row,
  color,
  to,
  warn = false,
  aside,
}: {
  label: string;
  /** What is counted, where the label does not say it all. */
  hint?: string;
  value: number | undefined;
  unit?: string;
  history: History | undefined;
  row: Row;
  color: 1 | 2 | 3 | 4 | 5;
  to: string;
  /** There should be none of this. */
  warn?: boolean;
  /** A smaller figure of the same kind. */
  aside?: ReactNode;
}) {
  const language = useLanguage();
  const exact =
    value === undefined ? NOTHING : unit ? formatRate(value, language) : formatNumber(value, language);
  const shown = value !== undefined && value >= COMPACT_FROM ? formatCompact(value, language) : exact;
  return (
    <div className={classes.figure}>
      <div className={classes.figureHead}>
        <Link to={to} className={classes.figureLink} title={hint}>
          {label}
        </Link>
        {aside && <span className={classes.figureAside}>{aside}</span>}
      </div>
      <div className={classes.figureMiddle}>
        <span className={classes.figureValue} title={exact}>
          {warn && <IconWarn size={18} className={classes.figureWarn} />}
          {shown}
          {unit && <span className={classes.figureUnit}> {unit}</span>}
        </span>
        <span className={classes.figureLine}>
          {history && <Sparkline values={hoursOf(history, row).line} color={color} height={28} />}
        </span>
      </div>
      <Change history={history} row={row} rate={unit !== undefined} />
    </div>
  );
}

/** "+12% on the hour before". Up is neither good nor bad, so it has no colour. */
function Change({ history, row, rate }: { history: History | undefined; row: Row; rate: boolean }) {
  const w = useWords(words);
  const language = useLanguage();
  if (!history) return <div className={classes.change} />;
  const { mean, before } = hoursOf(history, row);
  const change = changeOf(mean, before);
  // Nothing to compare with yet: the line stays empty rather than say so six times.
  if (mean === null || before === null) return <div className={classes.change} />;
  const show = (value: number) => (rate ? formatRate(value, language) : formatNumber(value, language, 1));
  return (
    <div className={classes.change} title={w.means({ mean: show(mean), before: show(before) })}>
      {change === null
        ? w.fromZero
        : change === 0
          ? w.unchanged
          : w.growth({ change: growthText(change, language) })}
    </div>
  );
}

/** More than tenfold reads better as a factor. */
const growthText = (change: number, language: Language): string =>
  change >= 9
    ? `×${formatNumber(change + 1, language)}`
    : `${change > 0 ? '+' : '−'}${formatPercent(Math.abs(change), language)}`;
