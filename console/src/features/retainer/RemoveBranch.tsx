import { Button, Modal, TextInput } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import { useEffect, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './retainer.module.css';
import { words } from './words.ts';

const TYPING_MS = 300;
const SHOWN_MAX = 10;
/** Brokers without a preview are asked for their list. */
const LIST_LIMIT = 100;

interface Preview {
  /** Undefined = the broker does not say. */
  count: number | undefined;
  topics: string[];
}

/** Deletes what a filter matches, after a look at what that is. */
export function RemoveBranch({
  filter,
  remove,
  onClose,
}: {
  filter: string;
  remove: (filter: string) => Promise<boolean>;
  onClose: () => void;
}) {
  const w = useWords(words);
  const [typed, setTyped] = useState(filter);
  const [asked, setAsked] = useState(filter);
  const [pending, setPending] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const valid = typed !== '' && isValidFilter(typed);
  const { preview, failed } = usePreview(asked, valid && asked === typed);
  const known = asked === typed ? preview : undefined;
  const count = known?.count;
  const ready = valid && known !== undefined && count !== 0;

  const run = async () => {
    if (!ready) return;
    setPending(true);
    const done = await remove(typed);
    setPending(false);
    if (done) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.removeBranch}
      closeButtonProps={{ 'aria-label': w.close }}
      size={520}
    >
      <form
        className={styles.question}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextInput
          label={w.filter}
          description={w.branchHint}
          value={typed}
          error={typed !== '' && !valid && w.filterInvalid}
          autoComplete="off"
          spellCheck={false}
          placeholder="sensor/room-1/#"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {valid && failed}
        {valid && known && <Shown preview={known} />}
        <div className={styles.buttons}>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" variant="filled" color="red" disabled={!ready} loading={pending}>
            {count === undefined || count === 0 ? w.remove : w.removeCount({ count })}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function Shown({ preview: { count, topics } }: { preview: Preview }) {
  const w = useWords(words);
  if (count === 0) return <p className={styles.questionText}>{w.nothingMatches}</p>;
  const more = count === undefined ? 0 : count - topics.length;
  return (
    <div className={styles.preview} role="status">
      <p className={styles.questionText}>
        {count === undefined ? w.branchTextUncounted : w.branchText({ count })}
      </p>
      <ul className={styles.previewTopics}>
        {topics.map((topic) => (
          <li key={topic}>
            <bdi>{visibleText(topic)}</bdi>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.questionText}>{w.more({ count: more })}</p>}
    </div>
  );
}

/** What the filter matches: told by the broker, or else picked out of its list. */
function usePreview(filter: string, enabled: boolean) {
  const available = useAvailable(api.retainer.matching);
  const quiet = { quiet: true, progress: false, keepPrevious: false } as const;
  const told = useEndpoint(
    api.retainer.matching,
    { query: { topic: filter } },
    { ...quiet, enabled: enabled && available },
  );
  const listed = useEndpoint(
    api.retainer.messages,
    { query: { topic: filter, limit: LIST_LIMIT } },
    { ...quiet, enabled: enabled && !available },
  );
  const query = available ? told : listed;
  const failed = query.error && !query.error.absent && (
    <QueryFailed error={query.error} retry={() => query.refetch()} />
  );
  return { preview: available ? toldOf(told.data) : listedOf(listed.data, filter), failed };
}

const toldOf = (data: { count: number; first: { topic: string }[] } | undefined): Preview | undefined =>
  data && { count: data.count, topics: data.first.map(({ topic }) => topic) };

function listedOf(
  data: { data: { topic: string }[]; meta: { hasnext?: boolean | undefined } } | undefined,
  filter: string,
): Preview | undefined {
  if (!data) return undefined;
  const topics = data.data.map(({ topic }) => topic).filter((topic) => filterMatches(filter, topic));
  const isWhole = data.meta.hasnext === false || data.data.length < LIST_LIMIT;
  return { count: isWhole ? topics.length : undefined, topics: topics.slice(0, SHOWN_MAX) };
}
