import type { ExploredValue } from '@mqdeck/contract/topic-explorer';
import { useEffect, useRef, useState } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import type { Decoded } from '../../payload/decode/decode.ts';
import { showPayload, suggestFormat, toHex } from '../../payload/payload-formats.ts';
import { FigureTable } from '../../ui/FigureTable.tsx';
import { formatBytes, formatTime, NOTHING } from '../../ui/format.ts';
import { shortText } from '../../ui/short-text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './topic-explorer.module.css';
import { bytesOf, differences, namesOf } from './values.ts';
import { words } from './words.ts';

const SHOWN = 25;

interface Props {
  values: readonly ExploredValue[];
  read: (value: ExploredValue) => Decoded | null;
}

/** The last values, two of which can be compared. */
export function ValueHistory({ values, read }: Props) {
  const w = useWords(words);
  const language = useLanguage();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (name: string, is: boolean) =>
    setChosen(is ? [...chosen, name].slice(-2) : chosen.filter((one) => one !== name));
  const names = namesOf(values);
  const isChosen = (i: number): boolean => chosen.includes(names[i]!);
  const two = values.filter((_, i) => isChosen(i));
  const [later, earlier] = two;
  const text = (value: ExploredValue): string => {
    const decoded = read(value);
    if (decoded !== null && 'value' in decoded) return shortText(JSON.stringify(decoded.value));
    const begin = bytesOf(value).subarray(0, 200);
    const isData = suggestFormat(begin) === 'hex';
    return shortText(isData ? toHex(begin) : showPayload(begin, 'plaintext').text.replace(/\s+/g, ' '));
  };
  return (
    <div className={styles.value}>
      <p className={styles.text}>{w.diffHint}</p>
      <div className={styles.last}>
        <FigureTable
          label={w.history}
          headLabel={w.time}
          columns={[
            { label: w.compare },
            { label: w.preview, kind: 'words' },
            { label: w.size, kind: 'number' },
            { label: w.qos, kind: 'number' },
            { label: w.from },
          ]}
          rows={values.slice(0, SHOWN).map((value, i) => ({
            key: names[i]!,
            head: (
              <time dateTime={new Date(value.at).toISOString()}>{formatTime(value.at, language, false)}</time>
            ),
            cells: [
              <input
                key="compare"
                type="checkbox"
                aria-label={`${w.compare} ${formatTime(value.at, language, false)}`}
                checked={isChosen(i)}
                onChange={(event) => choose(names[i]!, event.currentTarget.checked)}
              />,
              <code key="value">{text(value)}</code>,
              formatBytes(value.bytes, language),
              String(value.qos),
              value.from === '' ? NOTHING : visibleText(value.from),
            ],
          }))}
        />
      </div>
      {earlier && later && <Changes key={chosen.join()} earlier={earlier} later={later} read={read} />}
    </div>
  );
}

function Changes({
  earlier,
  later,
  read,
}: { earlier: ExploredValue; later: ExploredValue } & Pick<Props, 'read'>) {
  const w = useWords(words);
  const shownOf = (value: ExploredValue): unknown => {
    const decoded = read(value);
    return decoded !== null && 'value' in decoded
      ? decoded.value
      : showPayload(bytesOf(value), 'plaintext').text;
  };
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' }); // not returned: in newer browsers it is a promise
  }, []);
  const found = differences(shownOf(earlier), shownOf(later));
  return (
    <section ref={place} className={styles.changes} aria-label={w.diff} aria-live="polite">
      <h3 className={styles.diffTitle}>{w.diff}</h3>
      {found.length === 0 ? (
        <p className={styles.text}>{w.same}</p>
      ) : (
        <FigureTable
          label={w.diff}
          headLabel={w.field}
          columns={[
            { label: w.before, kind: 'words' },
            { label: w.after, kind: 'words' },
          ]}
          rows={found.map(({ path, before, after }) => ({
            key: path,
            head: path === '' ? w.latest : visibleText(path),
            cells: [
              <del key="before">{before === undefined ? NOTHING : visibleText(before)}</del>,
              <ins key="after">{after === undefined ? NOTHING : visibleText(after)}</ins>,
            ],
          }))}
        />
      )}
    </section>
  );
}
