import { Button } from '@mantine/core';
import type { ConnackPacket } from '@mqdeck/mqtt/packets';
import { type FormEvent, useEffect, useState } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { formatNumber, formatTime } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { State } from '../../ui/State.tsx';
import { shortText } from '../../ui/short-text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { ConnectionFields } from './ConnectionFields.tsx';
import { type FormFaults, readConnectionForm, urlOf } from './connection-form.ts';
import { type Connection, useConnection } from './connections.ts';
import { faultText } from './fault-text.ts';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

const NO_FAULTS: FormFaults = new Map();
const VERSION_NAMES = { 3: 'MQTT 3.1', 4: 'MQTT 3.1.1', 5: 'MQTT 5.0' } as const;

/** The state, and the form while there is no connection; one line of facts while there is. */
export function ConnectionPanel({ connection }: { connection: Connection }) {
  useConnection(connection);
  const w = useWords(words);
  const { client, form } = connection;
  const { state } = client;
  return (
    <Panel title={w.connection} actions={<State is={state} />}>
      {client.fault && (
        <p className={styles.fault} role="alert" data-warn={state === 'reconnecting' || undefined}>
          {faultText(client.fault)}
        </p>
      )}
      {state === 'reconnecting' && <Retry connection={connection} />}
      {state === 'disconnected' ? (
        <Form connection={connection} />
      ) : (
        <>
          <p className={styles.summary}>
            <code>{shortText(client.clientid || form.clientid)}</code>
            <span>{VERSION_NAMES[client.protocolVersion]}</span>
            <code>{visibleText(urlOf(form))}</code>
          </p>
          {client.connack && <Granted connection={connection} connack={client.connack} />}
          <div className={styles.buttons}>
            {state === 'connected' && (
              <Button title={w.dropHint} onClick={() => client.drop()}>
                {w.drop}
              </Button>
            )}
            <Button disabled={state === 'disconnecting'} onClick={() => client.disconnect()}>
              {state === 'connected' || state === 'disconnecting' ? w.disconnect : w.cancel}
            </Button>
          </div>
        </>
      )}
    </Panel>
  );
}

function Form({ connection }: { connection: Connection }) {
  const w = useWords(words);
  const { form, tried } = connection;
  const read = tried ? readConnectionForm(form) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connection.connect();
  };
  return (
    <form onSubmit={submit} noValidate className={styles.form}>
      <ConnectionFields
        form={form}
        set={(part) => connection.setForm(part)}
        faults={read && 'faults' in read ? read.faults : NO_FAULTS}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="filled">
          {w.connect}
        </Button>
      </div>
    </form>
  );
}

function Retry({ connection: { client } }: { connection: Connection }) {
  const w = useWords(words);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const { attempt, retryAt } = client;
  const seconds = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
  return (
    <div className={styles.buttons}>
      <span className={styles.quiet}>
        {retryAt === null ? w.retrying({ attempt }) : w.retryIn({ attempt, seconds })}
      </span>
      <Button disabled={retryAt === null} onClick={() => client.retryNow()}>
        {w.retryNow}
      </Button>
    </div>
  );
}

function Granted({ connection, connack }: { connection: Connection; connack: ConnackPacket }) {
  const w = useWords(words);
  const language = useLanguage();
  const { client, form } = connection;
  const { properties: p, sessionPresent } = connack;
  const number = (value: number | undefined) =>
    value === undefined ? undefined : formatNumber(value, language);
  const able = (value: boolean | undefined) => (value === false ? w.no : w.yes);
  const facts: Fact[] = [
    { label: w.connectedSince, value: client.connectedAt && formatTime(client.connectedAt, language) },
    { label: w.sessionPresent, value: sessionPresent ? w.sessionResumed : w.sessionNew },
    {
      label: w.keepAlive,
      value: `${formatNumber(p.serverKeepAlive ?? Number(form.keepAlive), language)} ${w.seconds}`,
    },
    { label: w.inflight, value: number(client.inflight) },
  ];
  if (client.protocolVersion === 5) {
    facts.push(
      { label: w.receiveMaximum, value: number(p.receiveMaximum ?? 65_535) },
      { label: w.maximumPacketSize, value: number(p.maximumPacketSize) },
      { label: w.topicAliasMaximum, value: number(p.topicAliasMaximum ?? 0) },
      { label: w.maximumQoS, value: number(p.maximumQoS ?? 2) },
      { label: w.retainAvailable, value: able(p.retainAvailable) },
      { label: w.wildcardAvailable, value: able(p.wildcardSubscriptionAvailable) },
      { label: w.sharedAvailable, value: able(p.sharedSubscriptionAvailable) },
      { label: w.identifiersAvailable, value: able(p.subscriptionIdentifierAvailable) },
    );
    if (p.sessionExpiryInterval !== undefined)
      facts.push({ label: w.sessionExpiryInterval, value: number(p.sessionExpiryInterval) });
    if (p.responseInformation !== undefined)
      facts.push({ label: w.responseInformation, value: shortText(p.responseInformation) });
    for (const [name, value] of p.userProperty ?? [])
      facts.push({ label: visibleText(name), value: shortText(value) });
  }
  return (
    <details className={styles.folded}>
      <summary>{w.granted}</summary>
      <Facts facts={facts} columnWidth={150} />
    </details>
  );
}
