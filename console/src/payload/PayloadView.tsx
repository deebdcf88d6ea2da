import { Button } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { useNarrow } from '../table/narrow.ts';
import { copyText } from '../ui/copy-text.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatBytes, formatNumber } from '../ui/format.ts';
import { IconCopy, IconDownload } from '../ui/icons.tsx';
import { saveFile } from '../ui/save-file.ts';
import { toast } from '../ui/toast.ts';
import { FormatSwitch } from './FormatSwitch.tsx';
import styles from './payload.module.css';
import {
  copyPayload,
  PAYLOAD_SHOWN_MAX,
  type PayloadFormat,
  payloadFileName,
  showPayload,
  suggestFormat,
} from './payload-formats.ts';
import { faultSentence, words } from './words.ts';

export interface PayloadViewProps {
  bytes: Uint8Array<ArrayBuffer>;
  /** Names the file it is saved as. */
  topic: string;
  /** The content type its sender gave it (MQTT 5). */
  contentType?: string | undefined;
  /** For pages that keep the format themselves; without it the view does. */
  format?: PayloadFormat | undefined;
  onFormat?: ((format: PayloadFormat) => void) | undefined;
  /** What was read of a payload of so many bytes: shown as JSON alone, with that size. */
  readOf?: number | undefined;
}

/** A payload as text of the format chosen, and nothing but text, whatever the bytes are. */
export function PayloadView({
  bytes,
  topic,
  contentType,
  format: given,
  onFormat,
  readOf,
}: PayloadViewProps) {
  const w = useWords(words);
  const language = useLanguage();
  const [chosen, setChosen] = useState<PayloadFormat>();
  const tooLarge = bytes.length > PAYLOAD_SHOWN_MAX;
  const suggested = useMemo(
    () => (tooLarge ? 'plaintext' : suggestFormat(bytes, contentType)),
    [bytes, contentType, tooLarge],
  );
  const format = readOf === undefined ? (given ?? chosen ?? suggested) : 'json';
  const length = readOf ?? bytes.length;

  const copy = async () => {
    const done = await copyText(copyPayload(bytes, format));
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const save = () => saveFile(payloadFileName(topic, bytes), [bytes], 'application/octet-stream');

  const size =
    length < 1024
      ? w.sizeBytes({ bytes: length })
      : w.sizeExact({
          size: formatBytes(length, language),
          bytes: formatNumber(length, language),
        });
  const viewable = !tooLarge && bytes.length > 0;
  const download = (
    <Button leftSection={<IconDownload size={15} />} onClick={save}>
      {w.download}
    </Button>
  );
  return (
    <div className={styles.view}>
      <div className={styles.bar}>
        {viewable && readOf === undefined && <FormatSwitch value={format} onChange={onFormat ?? setChosen} />}
        <span className={styles.size}>{size}</span>
        {viewable && (
          <Button leftSection={<IconCopy size={15} />} onClick={() => void copy()}>
            {w.copy}
          </Button>
        )}
        {!tooLarge && download}
      </div>
      {tooLarge ? (
        <div className={styles.box}>
          <EmptyState title={w.tooLarge} text={w.tooLargeHint} action={download} />
        </div>
      ) : bytes.length === 0 ? (
        <div className={styles.box}>
          <EmptyState title={w.empty} />
        </div>
      ) : (
        <Shown bytes={bytes} format={format} />
      )}
    </div>
  );
}

const Shown = memo(function Shown({ bytes, format }: { bytes: Uint8Array; format: PayloadFormat }) {
  const w = useWords(words);
  const narrow = useNarrow();
  const perLine = narrow ? 8 : 16;
  const { text, fault } = useMemo(() => showPayload(bytes, format, perLine), [bytes, format, perLine]);
  return (
    <>
      {fault && (
        <p className={styles.fault} role="status">
          {w.shownPlain({ reason: faultSentence(fault, w) })}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.box} aria-label={w.region({ format: w[format] })} tabIndex={0}>
        <pre className={styles.text} data-format={format} dir="ltr">
          {blocksOf(text).map((block) => (
            <span key={block.from} className={styles.block}>
              {block.text}
            </span>
          ))}
        </pre>
      </section>
    </>
  );
});

/** Lines of a block: the browser lays out only the blocks in sight. */
const BLOCK_LINES = 200;

/** The text in pieces of whole lines, together exactly the text. */
function blocksOf(text: string): { from: number; text: string }[] {
  const blocks: { from: number; text: string }[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from;
    for (let lines = 0; lines < BLOCK_LINES && to < text.length; lines += 1) {
      const end = text.indexOf('\n', to);
      to = end === -1 ? text.length : end + 1;
    }
    blocks.push({ from, text: text.slice(from, to) });
    from = to;
  }
  return blocks;
}
