import { type MouseEvent, memo } from 'react';
import type { Language } from '../i18n/language.ts';
import { useWords } from '../i18n/words.ts';
import { copyText } from '../ui/copy-text.ts';
import { formatBytes, formatDurationShort, formatNumber, NOTHING, spaced } from '../ui/format.ts';
import { RelativeTime } from '../ui/RelativeTime.tsx';
import { State, stateOf } from '../ui/State.tsx';
import { toast } from '../ui/toast.ts';
import { visibleText } from '../ui/visible-text.ts';
import classes from './table.module.css';
import { TableLink } from './table-host.tsx';
import { words } from './words.ts';

/** What stands in the cells of lists. */

/** The protocol's session expiry interval that means never. */
const NEVER_SECONDS = 4_294_967_295;

const isNothing = (value: unknown) => value === undefined || value === null || value === '';
const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

const Faint = () => <span className={classes.faint}>{NOTHING}</span>;

/** Text of somebody else: nothing in it is invisible, and it cannot turn the line around. */
/** Cut to its cell; the whole of it is in the hint, unless there is more to be said. */
export function PlainText({ value, hint }: { value: unknown; hint?: string | undefined }) {
  if (isNothing(value)) return <Faint />;
  const shown = visibleText(textOf(value));
  return (
    <bdi className={classes.clip} title={hint ?? shown}>
      {shown}
    </bdi>
  );
}

/** Copied by a click on itself: a sign per row would cost a button each in the tab order and in the document. */
export const Identifier = memo(function Identifier({ value }: { value: unknown }) {
  const w = useWords(words);
  if (isNothing(value)) return <Faint />;
  const text = textOf(value);
  const shown = visibleText(text);
  const copy = async (event: MouseEvent) => {
    if (marksText(event)) return;
    const done = await copyText(text);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  return (
    <button
      type="button"
      className={classes.identifier}
      title={w.copyThing({ text: shown })}
      tabIndex={-1}
      onClick={(event) => void copy(event)}
    >
      <bdi>{shown}</bdi>
    </button>
  );
});

/** Marking a piece of an id to copy it by hand is no click. */
const marksText = ({ currentTarget }: MouseEvent): boolean => {
  const marked = getSelection();
  return marked?.isCollapsed === false && marked.containsNode(currentTarget, true);
};

export const LinkedIdentifier = memo(function LinkedIdentifier({
  value,
  to,
}: {
  value: unknown;
  to: string;
}) {
  const shown = isNothing(value) ? NOTHING : visibleText(textOf(value));
  return (
    <TableLink to={to} className={classes.link} title={shown}>
      <bdi>{shown}</bdi>
    </TableLink>
  );
});

/** A number or, where the API says so, a number in a text. */
function withNumber(value: unknown, show: (number: number) => string): string {
  if (isNothing(value)) return NOTHING;
  if (value === 'infinity') return '∞';
  const number = Number(value);
  return Number.isNaN(number) ? visibleText(textOf(value)) : show(number);
}

export const numberText = (value: unknown, language: Language, digits = 3): string =>
  withNumber(value, (number) => formatNumber(number, language, digits));

export const bytesText = (value: unknown, language: Language): string =>
  withNumber(value, (number) => formatBytes(number, language));

export const durationText = (value: unknown, unit: 's' | 'ms', language: Language): string =>
  withNumber(value, (number) =>
    number === NEVER_SECONDS ? '∞' : formatDurationShort(unit === 's' ? number * 1000 : number, language),
  );

export function Moment({ value }: { value: unknown }) {
  if (isNothing(value) || Number.isNaN(new Date(value as string | number).getTime()))
    return <PlainText value={value} />;
  return (
    <span className={classes.clip}>
      <RelativeTime at={value as string | number} />
    </span>
  );
}

export function Flag({ value }: { value: unknown }) {
  const w = useWords(words);
  if (isNothing(value)) return <Faint />;
  return value === true || value === 'true' ? w.yes : w.no;
}

export function StateCell({ value }: { value: string }) {
  return value === '' ? <Faint /> : <State is={stateOf(value)} />;
}

/** "3s ago", for the clock beside the refresh button. */
export function ageText(seconds: number, language: Language): string {
  const [size, unit] =
    seconds < 60
      ? ([1, 'second'] as const)
      : seconds < 3600
        ? ([60, 'minute'] as const)
        : ([3600, 'hour'] as const);
  const format = new Intl.RelativeTimeFormat(language, { style: 'narrow' });
  return spaced(format.format(-Math.floor(seconds / size), unit));
}
