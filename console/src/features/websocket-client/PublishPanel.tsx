import { Button } from '@mantine/core';
import type { Properties } from '@mqdeck/mqtt/packets';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { PayloadInput } from '../../payload/PayloadInput.tsx';
import { parsePayload } from '../../payload/payload-formats.ts';
import { Panel } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import {
  type FormFault,
  type MessageProperties,
  NO_PROPERTIES,
  readMessageProperties,
} from './connection-form.ts';
import { type Connection, type PublishDraft, useConnection } from './connections.ts';
import { CheckField, ChoiceField, Folded, QOS_OPTIONS, TextField } from './fields.tsx';
import { MessagePropertyFields } from './MessagePropertyFields.tsx';
import { numberFrom } from './number-text.ts';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

const ALIAS_MAX = 65_535;

/** A message to write and send. */
export function PublishPanel({ connection }: { connection: Connection }) {
  useConnection(connection);
  const w = useWords(words);
  const [tried, setTried] = useState(false);
  const { client, publishing: draft, form } = connection;
  const connected = client.state === 'connected';
  const is5 = (client.state === 'disconnected' ? form : client).protocolVersion === 5;
  const set = (part: Partial<PublishDraft>) => connection.setPublishing(part);
  const { properties, faults } = readDraft(draft, is5);
  const aliasAlone = draft.topic === '' && properties.topicAlias !== undefined;
  const topicError =
    aliasAlone || isValidTopic(draft.topic)
      ? undefined
      : draft.topic === ''
        ? w.required({ name: w.topic })
        : w.badTopic;
  const payload = parsePayload(draft.payload.text, draft.payload.format);
  const count = setCount(draft);

  const publish = () => {
    setTried(true);
    if (!connected) toast('bad', w.notConnected);
    if (!connected || topicError || faults.size > 0 || 'fault' in payload) return;
    setTried(false);
    const { topic, qos, retain } = draft;
    void connection.publish({ topic, payload: payload.bytes, qos, retain, properties });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    publish();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    publish();
  };
  return (
    <Panel title={w.publish}>
      <form onSubmit={onSubmit} onKeyDown={onKeyDown} noValidate className={styles.form}>
        <div className={styles.topicFields}>
          <TextField
            label={w.topic}
            value={draft.topic}
            mono
            error={tried || draft.topic !== '' ? topicError : undefined}
            hint={topicNotice(draft.topic, w)}
            onChange={(topic) => set({ topic })}
          />
          <ChoiceField
            label={w.qos}
            value={draft.qos}
            options={QOS_OPTIONS}
            onChange={(qos) => set({ qos })}
          />
        </div>
        <PayloadInput draft={draft.payload} checked={tried} onChange={(payload) => set({ payload })} />
        {is5 && (
          <Folded
            label={count > 0 ? w.propertiesChanged({ count }) : w.properties}
            open={tried && faults.size > 0}
          >
            <TextField
              label={w.topicAlias}
              value={draft.topicAlias}
              numeric
              fault={faults.get('topicAlias')}
              onChange={(topicAlias) => set({ topicAlias })}
            />
            <MessagePropertyFields
              value={draft.properties}
              faultOf={(field) => faults.get(field)}
              onChange={(next) => set({ properties: next })}
            />
          </Folded>
        )}
        <div className={styles.buttons}>
          <CheckField label={w.retain} checked={draft.retain} onChange={(retain) => set({ retain })} />
          <Button
            type="submit"
            variant="filled"
            disabled={!connected}
            title={connected ? w.publishKey : w.notConnected}
          >
            {w.publish}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function readDraft(draft: PublishDraft, is5: boolean) {
  const faults = new Map<keyof MessageProperties | 'topicAlias', FormFault>();
  if (!is5) return { properties: {}, faults };
  const topicAlias = numberFrom(draft.topicAlias, 1, ALIAS_MAX, (fault) => faults.set('topicAlias', fault));
  const read = readMessageProperties(draft.properties, (field, fault) => faults.set(field, fault));
  const properties: Properties = topicAlias === undefined ? read : { ...read, topicAlias };
  return { properties, faults };
}

function setCount({ topicAlias, properties }: PublishDraft): number {
  const fields = Object.keys(NO_PROPERTIES) as (keyof MessageProperties)[];
  const set = fields.filter((field) =>
    field === 'userProperties'
      ? properties.userProperties.some(({ name, value }) => name !== '' || value !== '')
      : properties[field] !== NO_PROPERTIES[field],
  );
  return set.length + (topicAlias === '' ? 0 : 1);
}

function topicNotice(
  topic: string,
  w: { sharedTopicNotice: string; dollarNotice: string },
): string | undefined {
  if (/^\$(share|queue)\//.test(topic)) return w.sharedTopicNotice;
  return topic.startsWith('$') && !topic.startsWith('$delayed/') ? w.dollarNotice : undefined;
}
