import { Button } from '@mantine/core';
import { useCallback } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { editPayload, suggestFormat } from '../../payload/payload-formats.ts';
import { confirm } from '../../ui/confirm.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { IconClose, IconEdit, IconPlus, IconRefresh } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { shortText } from '../../ui/short-text.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { ConnectionPanel } from './ConnectionPanel.tsx';
import { NO_PROPERTIES } from './connection-form.ts';
import { nameIn } from './connection-name.ts';
import {
  CONNECTIONS_MAX,
  type Connection,
  closeConnection,
  openConnection,
  showConnection,
  useConnection,
  useConnections,
} from './connections.ts';
import { MessagePanel } from './MessagePanel.tsx';
import type { LoggedMessage } from './message-log.ts';
import { PublishPanel } from './PublishPanel.tsx';
import { newPair } from './pairs.ts';
import { SubscribePanel } from './SubscribePanel.tsx';
import { TabLabel } from './TabLabel.tsx';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

/** The MQTT client: tabs of connections, each with its subscriptions and messages. They live in connections.ts. */
export function WebsocketClientPage() {
  const w = useWords(words);
  const { all, activeId } = useConnections();
  const active = all.find(({ id }) => id === activeId) ?? all[0]!;
  const full = all.length >= CONNECTIONS_MAX;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      actions={
        <>
          {full && <span className={styles.quiet}>{w.noMore}</span>}
          <Button
            leftSection={<IconPlus size={15} />}
            disabled={full}
            title={full ? w.noMore : undefined}
            onClick={openConnection}
          >
            {w.newConnection}
          </Button>
          {all.length > 1 && <CloseButton connection={active} />}
        </>
      }
    >
      <Tabs
        label={w.connections}
        value={String(active.id)}
        onChange={(id) => showConnection(Number(id))}
        tabs={all.map((one) => ({
          value: String(one.id),
          label: <TabLabel connection={one} hidden={one !== active} />,
        }))}
      >
        <Workbench key={active.id} connection={active} />
      </Tabs>
    </Page>
  );
}

function CloseButton({ connection }: { connection: Connection }) {
  useConnection(connection);
  const w = useWords(words);
  const name = shortText(nameIn(useLanguage(), connection.form.name));
  const close = async () => {
    const alive = connection.client.state !== 'disconnected';
    const sure =
      !alive || (await confirm({ title: w.closeAsk({ name }), text: w.closeText, action: w.close }));
    if (sure) closeConnection(connection);
  };
  return (
    <Button leftSection={<IconClose size={15} />} onClick={() => void close()}>
      {w.closeTab({ name })}
    </Button>
  );
}

function Workbench({ connection }: { connection: Connection }) {
  const w = useWords(words);
  const again = useCallback(
    ({ topic, payload, qos, retain, properties }: LoggedMessage) =>
      void connection.publish({ topic, payload, qos, retain, properties }),
    [connection],
  );
  const edit = useCallback(
    (message: LoggedMessage) => connection.setPublishing(draftOf(message)),
    [connection],
  );
  const actions = useCallback(
    (message: LoggedMessage) => {
      const topic = shortText(message.topic);
      return (
        <>
          <button
            type="button"
            className={styles.iconButton}
            aria-label={w.editTopic({ topic })}
            title={w.edit}
            onClick={() => edit(message)}
          >
            <IconEdit size={14} />
          </button>
          <button
            type="button"
            className={styles.iconButton}
            aria-label={w.againTopic({ topic })}
            title={w.again}
            onClick={() => again(message)}
          >
            <IconRefresh size={14} />
          </button>
        </>
      );
    },
    [w, edit, again],
  );
  return (
    <div className={styles.workbench}>
      <div className={styles.controls}>
        <ConnectionPanel connection={connection} />
        <SubscribePanel connection={connection} />
        <PublishPanel connection={connection} />
      </div>
      <div className={styles.tables}>
        <MessagePanel
          which="received"
          log={connection.received}
          empty={<EmptyState title={w.emptyReceived} text={w.emptyReceivedHint} />}
        />
        <MessagePanel
          which="published"
          log={connection.published}
          empty={<EmptyState title={w.emptyPublished} />}
          actions={actions}
        />
      </div>
    </div>
  );
}

/** A message of the history as something to write on. */
function draftOf({ topic, payload, qos, retain, properties: p }: LoggedMessage) {
  const suggested = suggestFormat(payload, p.contentType);
  const text = editPayload(payload, suggested);
  return {
    topic,
    qos,
    retain,
    payload:
      text === null
        ? { text: editPayload(payload, 'hex') ?? '', format: 'hex' as const }
        : { text, format: suggested },
    topicAlias: p.topicAlias === undefined ? '' : String(p.topicAlias),
    properties: {
      ...NO_PROPERTIES,
      payloadFormatIndicator: p.payloadFormatIndicator === 1,
      messageExpiryInterval: p.messageExpiryInterval === undefined ? '' : String(p.messageExpiryInterval),
      contentType: p.contentType ?? '',
      responseTopic: p.responseTopic ?? '',
      correlationData: p.correlationData ? new TextDecoder().decode(p.correlationData) : '',
      userProperties: (p.userProperty ?? []).map(([name, value]) => newPair(name, value)),
    },
  };
}
