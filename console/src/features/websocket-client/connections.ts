import type { QoS } from '@mqdeck/mqtt/packets';
import { useSyncExternalStore } from 'react';
import { getSession, onSessionEnd } from '../../api/session.ts';
import { tabTexts } from '../../browser-storage.ts';
import { getLanguage } from '../../i18n/language.ts';
import { wordsIn } from '../../i18n/words.ts';
import type { PayloadDraft } from '../../payload/PayloadInput.tsx';
import { setConnectedCount } from '../../shell/live-connections.ts';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import {
  type ConnectionForm,
  type MessageProperties,
  NO_PROPERTIES,
  newConnectionForm,
  readConnectionForm,
  restoredForm,
  withoutSecrets,
} from './connection-form.ts';
import type { Fault } from './engine/faults.ts';
import { type ClientState, faultOf, MqttClient, type OutgoingMessage } from './engine/mqtt-client.ts';
import { faultText, reasonText } from './fault-text.ts';
import { MessageLog } from './message-log.ts';
import type { NumberText } from './number-text.ts';
import { words } from './words.ts';

export interface SubscribeDraft {
  filter: string;
  qos: QoS;
  noLocal: boolean;
  retainAsPublished: boolean;
  retainHandling: 0 | 1 | 2;
  identifier: NumberText;
}

export interface PublishDraft {
  topic: string;
  payload: PayloadDraft;
  qos: QoS;
  retain: boolean;
  topicAlias: NumberText;
  properties: MessageProperties;
}

/** One tab: a client, what is typed, and what came and went. Outlives the page; its methods alone change it. */
export class Connection {
  readonly id: number;
  readonly client: MqttClient;
  readonly received = new MessageLog();
  readonly published = new MessageLog();
  form: ConnectionForm;
  subscribing: SubscribeDraft = {
    filter: 'testtopic/#', // SCREENS A27
    qos: 0,
    noLocal: false,
    retainAsPublished: false,
    retainHandling: 0,
    identifier: '',
  };
  publishing: PublishDraft = {
    topic: 'testtopic/1',
    payload: { text: '{ "msg": "hello" }', format: 'plaintext' },
    qos: 0,
    retain: false,
    topicAlias: '',
    properties: NO_PROPERTIES,
  };
  /** Somebody tried to connect with what is typed: what is wrong with it is shown. */
  tried = false;
  /** Changes with everything but the messages. */
  version = 0;
  #told: { state: ClientState; fault: Fault | null } = { state: 'disconnected', fault: null };
  readonly #listeners = new Set<() => void>();

  constructor(id: number, form: ConnectionForm) {
    this.id = id;
    this.form = form;
    this.client = new MqttClient({
      changed: () => this.#clientChanged(),
      message: ({ topic, payload, qos, retain, dup, properties }) =>
        // A copy: the payload is a view into a frame with other messages, which it would keep alive.
        this.received.add({ at: Date.now(), topic, payload: payload.slice(), qos, retain, dup, properties }),
    });
  }

  connect(): void {
    const read = readConnectionForm(this.form);
    this.tried = 'faults' in read;
    if ('options' in read) this.client.connect(read.options);
    this.changed();
  }

  setForm(part: Partial<ConnectionForm>): void {
    this.form = { ...this.form, ...part };
    this.changed();
    remember();
  }
  setSubscribing(part: Partial<SubscribeDraft>): void {
    this.subscribing = { ...this.subscribing, ...part };
    this.changed();
  }
  setPublishing(part: Partial<PublishDraft>): void {
    this.publishing = { ...this.publishing, ...part };
    this.changed();
  }

  /** Sends a message and keeps it with what became of it. */
  async publish(message: OutgoingMessage & { payload: Uint8Array<ArrayBuffer> }): Promise<void> {
    const id = this.published.add({
      ...message,
      at: Date.now(),
      dup: false,
      delivery: { is: 'waiting' },
    });
    try {
      const { reasonCode } = await this.client.publish(message);
      this.published.settle(id, { is: 'acknowledged', reasonCode });
      if (reasonCode >= 0x80) this.#tellFailure(reasonText(reasonCode));
    } catch (error) {
      const text = faultText(faultOf(error));
      this.published.settle(id, { is: 'failed', text });
      this.#tellFailure(text);
    }
  }

  #tellFailure(reason: string): void {
    toast('bad', wordsIn(words, getLanguage()).publishingFailure({ reason }));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }

  #clientChanged(): void {
    const { state, fault, clientid } = this.client;
    const before = this.#told.state;
    const w = wordsIn(words, getLanguage());
    const name = shortText(clientid);
    if (state === 'connected' && before !== state) toast('good', w.connectionSuccessful({ name }));
    else if (fault && fault !== this.#told.fault) {
      // Of the attempts of a reconnect only the first and the last one are news.
      if (before !== 'reconnecting' || state !== 'reconnecting')
        toast(state === 'reconnecting' ? 'warn' : 'bad', w.clientSays({ name, text: faultText(fault) }));
    } else if (state === 'disconnected' && before !== state) toast('info', w.disconnectedToast({ name }));
    this.#told = { state, fault };
    if (before !== state) noteConnected();
    this.changed();
  }
}

/** SPEC 9: the first and up to 6 more. */
export const CONNECTIONS_MAX = 7;
const KEPT_UNDER = 'websocketClient';

interface Connections {
  all: readonly Connection[];
  activeId: number;
}

let nextId = 1;
let connections: Connections | null = null;
const listeners = new Set<() => void>();

const make = (form?: ConnectionForm): Connection => {
  const id = nextId++;
  return new Connection(id, form ?? newConnectionForm(wordsIn(words, getLanguage()).defaultName({ id })));
};

function getConnections(): Connections {
  if (!connections) {
    const all = remembered();
    connections = { all, activeId: all[0]!.id };
  }
  return connections;
}

const onConnectionsChange = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useConnections = (): Connections => useSyncExternalStore(onConnectionsChange, getConnections);

/** Draws anew when anything but its messages changed. */
export const useConnection = (connection: Connection): number =>
  useSyncExternalStore(connection.subscribe, () => connection.version);

function set(next: Connections | null): void {
  connections = next;
  remember();
  noteConnected();
  for (const listener of listeners) listener();
}

export function openConnection(): void {
  const { all } = getConnections();
  if (all.length >= CONNECTIONS_MAX) return;
  const one = make();
  set({ all: [...all, one], activeId: one.id });
}

export const showConnection = (activeId: number): void => set({ ...getConnections(), activeId });

/** Ends it and takes its tab away; the only one there is stays. */
export function closeConnection(one: Connection): void {
  const { all, activeId } = getConnections();
  if (all.length === 1) return;
  one.client.disconnect();
  const at = all.indexOf(one);
  const left = all.filter((other) => other !== one);
  set({ all: left, activeId: activeId === one.id ? left[Math.max(0, at - 1)]!.id : activeId });
}

function noteConnected(): void {
  setConnectedCount(connections?.all.filter(({ client }) => client.state === 'connected').length ?? 0);
}

/** Forms last as long as the browser's tab, for the user who filled them in; secrets not at all. */
function remember(): void {
  if (!connections) {
    tabTexts.remove(KEPT_UNDER);
    return;
  }
  const forms = connections.all.map(({ form }) => withoutSecrets(form));
  tabTexts.set(KEPT_UNDER, JSON.stringify({ username: getSession()?.username, forms }));
}

function remembered(): Connection[] {
  try {
    const { username, forms } = JSON.parse(tabTexts.get(KEPT_UNDER) ?? '{}');
    if (username === getSession()?.username && Array.isArray(forms) && forms.length > 0)
      return forms.slice(0, CONNECTIONS_MAX).map((form: unknown) => make(restoredForm(form)));
  } catch (cause) {
    console.warn('The stored connections cannot be read.', cause);
  }
  return [make()];
}

onSessionEnd(() => {
  for (const { client } of connections?.all ?? []) client.disconnect();
  nextId = 1;
  set(null);
});
