import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import {
  AUTO_SUBSCRIBE_MAX,
  AUTO_SUBSCRIBE_PLACEHOLDERS,
  AutoSubscription,
} from '@mqdeck/contract/auto-subscribe';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './mqtt-extension.module.css';
import { changeList, type WholeList, withItem } from './whole-list.ts';
import { words } from './words.ts';

const whole: WholeList<AutoSubscription> = {
  list: api.autoSubscribe.list,
  update: api.autoSubscribe.update,
  same: (a, b) => a.topic === b.topic,
};
const BITS = { '0': words.no, '1': words.yes };
const HANDLING = { '0': words.rh0, '1': words.rh1, '2': words.rh2 };
const QOS = {
  '0': { en: 'QoS 0', zh: 'QoS 0' },
  '1': { en: 'QoS 1', zh: 'QoS 1' },
  '2': { en: 'QoS 2', zh: 'QoS 2' },
};
const NEW_TOPIC = { topic: '', qos: 0, nl: 0, rap: 0, rh: 0 };

const column = columnsOf<AutoSubscription>(words);
const bit = (name: 'nl' | 'rap') =>
  column.custom(name, (row, language) => (row[name] ? words.yes[language] : words.no[language]), {
    width: 120,
  });
const columns = [
  column.id('topic', { width: 260, grow: 4 }),
  column.number('qos', { width: 64, grow: 0.3 }),
  bit('nl'),
  bit('rap'),
  column.custom('rh', ({ rh }, language) => HANDLING[String(rh) as keyof typeof HANDLING][language], {
    width: 200,
  }),
];

export function AutoSubscribeTab() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.autoSubscribe.list, {}, { quiet: true });
  const [open, setOpen] = useState<'new' | AutoSubscription>();
  const full = (data?.length ?? 0) >= AUTO_SUBSCRIBE_MAX;

  const remove = async (one: AutoSubscription) => {
    const topic = { topic: visibleText(one.topic) };
    if (
      !(await confirm({
        title: w.removeTopicAsk(topic),
        text: w.removeTopicText,
        action: w.remove,
        danger: true,
      }))
    )
      return;
    if (await changeList(whole, one, (now, at) => now.toSpliced(at, 1), w.goneAlready))
      toast('good', w.topicRemoved);
  };
  const actions = (one: AutoSubscription): RowAction[] => [
    { label: w.edit, run: () => setOpen(one) },
    { label: w.remove, danger: true, run: () => remove(one) },
  ];
  return (
    <>
      <div className={styles.head}>
        <p className={styles.purpose}>{w.autoSubscribeText}</p>
        <Button
          size="xs"
          onClick={() => setOpen('new')}
          disabled={full}
          title={full ? w.fullTopics : undefined}
        >
          {w.addTopic}
        </Button>
      </div>
      <LocalTable
        rows={data}
        columns={columns}
        rowId={({ topic }) => topic}
        actions={actions}
        empty={w.noTopics}
        label={w.autoSubscribe}
        name="auto-subscribe"
        error={error ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
      />
      <TopicForm
        key={open === 'new' ? 'new' : open?.topic}
        edited={open}
        taken={(data ?? []).map(({ topic }) => topic)}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

function TopicForm({
  edited,
  taken,
  onClose,
}: {
  edited: 'new' | AutoSubscription | undefined;
  taken: readonly string[];
  onClose: () => void;
}) {
  const w = useWords(words);
  const one = edited === 'new' ? undefined : edited;
  return (
    <FormDrawer
      title={one ? w.editTopic : w.addTopic}
      opened={edited !== undefined}
      onClose={onClose}
      endpoint={api.autoSubscribe.update}
      list={{ item: AutoSubscription, with: (item) => withItem(whole, one, item as AutoSubscription) }}
      initial={one ? chosen(one) : chosen(NEW_TOPIC)}
      current={one && (() => storedNow(one))}
      toBody={({ topic, ...options }) => ({
        topic,
        ...Object.fromEntries(Object.entries(options).map(([name, value]) => [name, Number(value)])),
      })}
      words={words}
      submitLabel={one ? w.save : w.addTopic}
      refresh={[api.autoSubscribe.list]}
      onDone={() => toast('good', one ? w.topicSaved : w.topicAdded)}
    >
      <Text
        name="topic"
        mono
        required
        placeholder="to/${clientid}/#"
        hint={w.placeholders({ names: AUTO_SUBSCRIBE_PLACEHOLDERS.join(' ') })}
        check={(value) => {
          const topic = String(value);
          if (!isValidFilter(topic)) return w.noFilter;
          return topic !== one?.topic && taken.includes(topic) ? w.topicTaken : null;
        }}
      />
      <Select name="qos" options={['0', '1', '2']} labels={QOS} required />
      <Select name="nl" options={['0', '1']} labels={BITS} required />
      <Select name="rap" options={['0', '1']} labels={BITS} required />
      <Select name="rh" options={['0', '1', '2']} labels={HANDLING} required />
    </FormDrawer>
  );
}

/** What is stored of an edited topic at the moment of saving: a colleague may have changed it. */
async function storedNow(edited: AutoSubscription) {
  const now = await request(api.autoSubscribe.list, {}, { quiet: true });
  const one = now.find((other) => whole.same(other, edited));
  return one ? chosen(one) : null;
}

/** Choices are texts. */
const chosen = ({ topic, ...options }: AutoSubscription) => ({
  topic,
  ...Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)])),
});
