import { Button } from '@mantine/core';
import { isValidFilter, parseShared } from '@mqdeck/mqtt/topics';
import { type FormEvent, useState } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { IconClose } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { Mark } from '../../ui/State.tsx';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { type Connection, type SubscribeDraft, useConnection } from './connections.ts';
import { ClientFault } from './engine/faults.ts';
import type { Subscription } from './engine/mqtt-client.ts';
import { faultText, reasonText } from './fault-text.ts';
import { CheckField, ChoiceField, Folded, QOS_OPTIONS, TextField } from './fields.tsx';
import { numberFrom, type RangeFault } from './number-text.ts';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

/** Table 2-4: a variable byte integer. */
const IDENTIFIER_MAX = 268_435_455;

/** Subscribes, and lists what is subscribed to. */
export function SubscribePanel({ connection }: { connection: Connection }) {
  useConnection(connection);
  const w = useWords(words);
  const { client } = connection;
  const list = [...client.subscriptions.values()];
  return (
    <Panel title={w.subscriptions}>
      <SubscribeForm connection={connection} />
      {list.length === 0 ? (
        <p className={styles.quiet}>{w.noSubscriptions}</p>
      ) : (
        <ul className={styles.list} aria-label={w.subscriptions}>
          {list.map((one) => (
            <Item key={one.filter} connection={connection} subscription={one} />
          ))}
        </ul>
      )}
      {list.length > 0 && client.state === 'reconnecting' && <p className={styles.quiet}>{w.resubscribed}</p>}
    </Panel>
  );
}

function SubscribeForm({ connection }: { connection: Connection }) {
  const w = useWords(words);
  const [tried, setTried] = useState(false);
  const { client, subscribing: draft, form } = connection;
  const connected = client.state === 'connected';
  const is5 = (client.state === 'disconnected' ? form : client).protocolVersion === 5;
  const set = (part: Partial<SubscribeDraft>) => connection.setSubscribing(part);
  const { identifier, identifierFault } = identifierOf(draft.identifier);
  const shared = parseShared(draft.filter);
  const filterError = !isValidFilter(draft.filter)
    ? draft.filter === ''
      ? w.required({ name: w.filter })
      : w.badFilter
    : undefined;
  const sharedNoLocal = is5 && shared !== null && draft.noLocal; // [MQTT-3.8.3-4]
  const changed =
    Number(draft.noLocal) +
    Number(draft.retainAsPublished) +
    Number(draft.retainHandling !== 0) +
    Number(draft.identifier !== '');

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!connected || filterError || (is5 && identifierFault) || sharedNoLocal) return;
    const { filter, qos } = draft;
    const options = is5
      ? {
          noLocal: draft.noLocal,
          retainAsPublished: draft.retainAsPublished,
          retainHandling: draft.retainHandling,
        }
      : { noLocal: false, retainAsPublished: false, retainHandling: 0 as const };
    const failed = (reason: string) => toast('bad', w.subscriptionFailure({ reason }));
    void client
      .subscribe({ filter, qos, ...options, identifier: is5 ? identifier : undefined })
      .then((code) => {
        if (code >= 0x80) failed(reasonText(code, client.protocolVersion));
        else setTried(false);
      })
      .catch((error: unknown) => {
        if (!(error instanceof ClientFault)) throw error;
        failed(faultText(error.fault));
      });
  };

  return (
    <form onSubmit={submit} noValidate className={styles.form}>
      <div className={styles.filterFields}>
        <TextField
          label={w.filter}
          value={draft.filter}
          mono
          error={tried || draft.filter !== '' ? filterError : undefined}
          hint={shared && !filterError ? w.sharedNotice({ group: shortText(shared.group) }) : undefined}
          onChange={(filter) => set({ filter })}
        />
        <ChoiceField label={w.qos} value={draft.qos} options={QOS_OPTIONS} onChange={(qos) => set({ qos })} />
        <Button
          type="submit"
          variant="light"
          className={styles.besideField}
          disabled={!connected}
          title={connected ? undefined : w.notConnected}
        >
          {w.subscribe}
        </Button>
      </div>
      {is5 && (
        <Folded
          label={changed > 0 ? w.optionsChanged({ count: changed }) : w.options}
          open={tried && (sharedNoLocal || identifierFault !== undefined)}
        >
          <CheckField
            label={w.noLocal}
            checked={draft.noLocal}
            error={sharedNoLocal ? w.sharedNoLocal : undefined}
            onChange={(noLocal) => set({ noLocal })}
          />
          <CheckField
            label={w.retainAsPublished}
            checked={draft.retainAsPublished}
            onChange={(retainAsPublished) => set({ retainAsPublished })}
          />
          <ChoiceField
            label={w.retainHandling}
            value={draft.retainHandling}
            options={[
              { value: 0, label: w.rh0 },
              { value: 1, label: w.rh1 },
              { value: 2, label: w.rh2 },
            ]}
            onChange={(retainHandling) => set({ retainHandling })}
          />
          <TextField
            label={w.identifier}
            value={draft.identifier}
            numeric
            fault={identifierFault}
            onChange={(value) => set({ identifier: value })}
          />
        </Folded>
      )}
    </form>
  );
}

function identifierOf(text: string): {
  identifier?: number | undefined;
  identifierFault?: RangeFault | undefined;
} {
  let identifierFault: RangeFault | undefined;
  const identifier = numberFrom(text, 1, IDENTIFIER_MAX, (fault) => {
    identifierFault = fault;
  });
  return { identifier, identifierFault };
}

function Item({
  connection: { client },
  subscription,
}: {
  connection: Connection;
  subscription: Subscription;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const { filter, qos, reasonCode, identifier, since } = subscription;
  const shown = shortText(filter);
  const options = [
    subscription.noLocal ? w.noLocal : '',
    subscription.retainAsPublished ? w.retainAsPublished : '',
    subscription.retainHandling > 0 ? `${w.retainHandling} ${subscription.retainHandling}` : '',
    identifier === undefined ? '' : w.identifierShort({ id: String(identifier) }),
  ].filter(Boolean);

  const remove = () => {
    // Without a connection there is nobody to ask, and nothing will be subscribed to again.
    if (client.state !== 'connected') {
      client.forgetSubscription(filter);
      return;
    }
    const failed = (reason: string) => toast('bad', w.unsubscribeFailure({ reason }));
    void client
      .unsubscribe(filter)
      .then((code) => {
        if (code >= 0x80) failed(reasonText(code, client.protocolVersion));
      })
      .catch((error: unknown) => {
        if (!(error instanceof ClientFault)) throw error;
        failed(faultText(error.fault));
      });
  };
  return (
    <li className={styles.item}>
      <code className={styles.itemName} title={shown}>
        <bdi>{shown}</bdi>
      </code>
      <span className={styles.itemFacts}>
        {reasonCode === undefined ? (
          <span>{w.waiting}</span>
        ) : reasonCode >= 0x80 ? (
          <Mark tone="bad">{reasonText(reasonCode, client.protocolVersion)}</Mark>
        ) : reasonCode < qos ? (
          <Mark tone="warn">{w.grantedLess({ granted: reasonCode, asked: qos })}</Mark>
        ) : (
          <span>{w.grantedQos({ qos })}</span>
        )}
        {options.map((text) => (
          <span key={text}>{text}</span>
        ))}
        <span>{formatTime(since, language)}</span>
      </span>
      <button
        type="button"
        className={styles.iconButton}
        aria-label={w.unsubscribeFrom({ filter: shown })}
        title={w.unsubscribe}
        onClick={remove}
      >
        <IconClose size={14} />
      </button>
    </li>
  );
}
