import { rateOf } from '@mqdeck/contract/kit/rates';
import { parseBytes } from '@mqdeck/contract/kit/values';
import { burstOf } from '@mqdeck/contract/limiter';
import { Text } from '../../form/fields.tsx';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface Props {
  name: string;
  /** Counts bytes, so units may stand in it. */
  bytes: boolean;
  hint?: string | undefined;
}

const hasByteUnit = (text: string): boolean => /[kmg]b/i.test(text);
const INFINITY = 'infinity';

/** A rate as the API writes it: `100/s`, `1MB/10s`, `infinity`. */
export function RateText({ bytes, ...props }: Props) {
  const w = useWords(words);
  const k = useWords(kitWords);
  const check = (value: unknown): string | null => {
    const text = String(value ?? '').trim();
    if (/^0+([kmg]b)?($|\/)/i.test(text)) return k.atLeast({ min: 1 });
    if (!bytes && hasByteUnit(text)) return k.unitFault({ unit: '/s, /m, /h, /d' });
    return rateOf(text) === undefined ? k.format : null;
  };
  return (
    <Text
      {...props}
      mono
      required
      standard={INFINITY}
      hint={bytes ? w.byteRateHint : w['rate.hint']}
      check={check}
    />
  );
}

/** A number of tokens, with a unit where they are bytes. */
export function Amount({
  bytes,
  standard,
  least = 0,
  ...props
}: Props & {
  standard: string;
  /** With 1 also `infinity`. */
  least?: 0 | 1;
}) {
  const k = useWords(kitWords);
  const check = (value: unknown): string | null => {
    const text = String(value ?? '').trim();
    if (least === 1 && text === INFINITY) return null;
    if (!bytes && hasByteUnit(text)) return k.type({ type: k.aWholeNumber });
    const amount = parseBytes(text);
    if (amount === null) return k.format;
    return amount < least ? k.atLeast({ min: least }) : null;
  };
  return <Text {...props} mono required standard={standard} check={check} />;
}

/** On top of a rate: a number, or as the real one writes it, a rate. */
export function Burst({ bytes, ...props }: Props) {
  const k = useWords(kitWords);
  const check = (value: unknown): string | null => {
    const text = String(value ?? '').trim();
    if (!bytes && hasByteUnit(text)) return k.type({ type: k.aWholeNumber });
    return burstOf(text) === null ? k.format : null;
  };
  return <Text {...props} mono required standard="0" check={check} />;
}
