import { useWords } from '../i18n/words.ts';
import {
  IconBad,
  IconBusy,
  IconGood,
  IconOff,
  type IconProps,
  IconSlow,
  IconStopped,
  IconUneven,
  IconWarn,
} from './icons.tsx';
import styles from './State.module.css';
import { words } from './words.ts';

type Tone = 'good' | 'warn' | 'bad' | 'off' | 'busy';

const vocabulary = {
  connected: ['good', IconGood],
  connecting: ['busy', IconBusy],
  disconnected: ['off', IconOff],
  disconnecting: ['busy', IconBusy],
  reconnecting: ['busy', IconBusy],
  retrying: ['bad', IconBad],
  disabled: ['off', IconOff],
  enabled: ['good', IconGood],
  error: ['bad', IconBad],
  inconsistent: ['warn', IconUneven],
  running: ['good', IconGood],
  waiting: ['busy', IconSlow],
  stopped: ['off', IconStopped],
  notInstalled: ['off', IconOff],
} as const satisfies Record<string, readonly [Tone, (props: IconProps) => React.ReactNode]>;

/** Every state the console speaks of; a screen does not invent one. */
export type StateName = keyof typeof vocabulary;

/** The broker's word for a state as one of ours; what we do not know is an inconsistency to look at. */
export const stateOf = (word: string): StateName => {
  const name = word.replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return name in vocabulary ? (name as StateName) : 'inconsistent';
};

const DOWN: ReadonlySet<StateName> = new Set(['disconnected', 'stopped']);

/** A state: sign, word and colour, so that none of them has to carry it alone. */
export function State({
  is,
  label,
  wanted,
}: {
  is: StateName;
  label?: string;
  /** It should be connected or running: that it is not is what the eye must find. */
  wanted?: boolean | undefined;
}) {
  const w = useWords(words);
  const [tone, Sign] = wanted && DOWN.has(is) ? (['bad', IconBad] as const) : vocabulary[is];
  return (
    <span className={styles.state} data-tone={tone}>
      <Sign size={15} />
      <span>{label ?? w[is]}</span>
    </span>
  );
}

const signs: Record<Tone, (props: IconProps) => React.ReactNode> = {
  good: IconGood,
  warn: IconWarn,
  bad: IconBad,
  off: IconOff,
  busy: IconBusy,
};

/** Sign and words for what the vocabulary has no name for: "2 alarms", "Expired". */
export function Mark({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  const Sign = signs[tone];
  return (
    <span className={styles.state} data-tone={tone}>
      <Sign size={15} />
      <span>{children}</span>
    </span>
  );
}
