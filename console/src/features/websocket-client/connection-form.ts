import type { Properties, ProtocolVersion, QoS } from '@mqdeck/mqtt/packets';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { basePrefix } from '../../base.ts';
import type { PayloadDraft } from '../../payload/PayloadInput.tsx';
import { parsePayload } from '../../payload/payload-formats.ts';
import type { ConnectOptions } from './engine/mqtt-client.ts';
import { type NumberText, numberFrom } from './number-text.ts';
import { type Pair, pairsToSend } from './pairs.ts';

/** What the operator typed, as he typed it. */
export interface ConnectionForm {
  name: string;
  ssl: boolean;
  host: string;
  port: NumberText;
  path: string;
  protocolVersion: ProtocolVersion;
  clientid: string;
  username: string;
  password: string;
  cleanStart: boolean;
  keepAlive: NumberText;
  autoReconnect: boolean;
  sessionExpiryInterval: NumberText;
  receiveMaximum: NumberText;
  maximumPacketSize: NumberText;
  topicAliasMaximum: NumberText;
  requestResponseInformation: boolean;
  requestProblemInformation: boolean;
  userProperties: readonly Pair[];
  will: boolean;
  willTopic: string;
  willPayload: PayloadDraft;
  willQos: QoS;
  willRetain: boolean;
  willDelayInterval: NumberText;
  willProperties: MessageProperties;
}

/** The properties that a message and a will share. */
export interface MessageProperties {
  payloadFormatIndicator: boolean;
  messageExpiryInterval: NumberText;
  contentType: string;
  responseTopic: string;
  correlationData: string;
  userProperties: readonly Pair[];
}

export const NO_PROPERTIES: MessageProperties = {
  payloadFormatIndicator: false,
  messageExpiryInterval: '',
  contentType: '',
  responseTopic: '',
  correlationData: '',
  userProperties: [],
};

const UINT16_MAX = 65_535;
const UINT32_MAX = 4_294_967_295; // SPEC 9
const KEEP_ALIVE_DEFAULT = '60';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_LENGTH = 8; // SPEC 9

export function randomClientid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return `mqdeck_${[...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}

/** To the broker through the console's own origin: that works wherever the console does. */
export function newConnectionForm(name: string): ConnectionForm {
  const ssl = location.protocol === 'https:';
  return {
    name,
    ssl,
    host: location.hostname,
    port: location.port || (ssl ? '443' : '80'),
    path: `${basePrefix()}/mqtt`,
    protocolVersion: 5,
    clientid: randomClientid(),
    username: '',
    password: '',
    cleanStart: true,
    keepAlive: KEEP_ALIVE_DEFAULT,
    autoReconnect: true,
    sessionExpiryInterval: '',
    receiveMaximum: '',
    maximumPacketSize: '',
    topicAliasMaximum: '',
    requestResponseInformation: false,
    requestProblemInformation: true,
    userProperties: [],
    will: false,
    willTopic: '',
    willPayload: { text: '', format: 'plaintext' },
    willQos: 0,
    willRetain: false,
    willDelayInterval: '',
    willProperties: NO_PROPERTIES,
  };
}

export function urlOf({ ssl, host, port, path }: ConnectionForm): string {
  const name = host.trim();
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  const slashed = path.trim() === '' || path.trim().startsWith('/') ? path.trim() : `/${path.trim()}`;
  return `${ssl ? 'wss' : 'ws'}://${bracketed}:${port.trim()}${slashed}`;
}

export type FormFault =
  | { kind: 'required' }
  | { kind: 'range'; min: number; max: number }
  | { kind: 'host' }
  | { kind: 'topic' }
  | { kind: 'cleanSessionNeeded' }
  | { kind: 'usernameNeeded' }
  | { kind: 'emptyName' }
  | { kind: 'payload' };
/** By the name of the field. */
export type FormFaults = ReadonlyMap<string, FormFault>;

const utf8 = (text: string) => new TextEncoder().encode(text);

/** What `connect` takes, or what is wrong beside which field. */
export function readConnectionForm(
  form: ConnectionForm,
): { options: ConnectOptions } | { faults: FormFaults } {
  const faults = new Map<string, FormFault>();
  const number = (field: keyof ConnectionForm, min: number, max: number) =>
    numberFrom(form[field] as NumberText, min, max, (fault) => faults.set(field, fault));
  const is5 = form.protocolVersion === 5;

  if (form.host.trim() === '') faults.set('host', { kind: 'required' });
  else if (
    !URL.canParse(`ws://${form.host.trim().includes(':') ? '[::1]' : form.host.trim()}/`) ||
    /[\s/?#@]/.test(form.host.trim())
  )
    faults.set('host', { kind: 'host' });
  if (number('port', 1, UINT16_MAX) === undefined && !faults.has('port'))
    faults.set('port', { kind: 'required' });
  if (form.clientid === '' && !is5 && !form.cleanStart)
    faults.set('clientid', { kind: 'cleanSessionNeeded' }); // [MQTT311-3.1.3-7]
  if (form.password !== '' && form.username === '' && !is5)
    faults.set('username', { kind: 'usernameNeeded' }); // [MQTT311-3.1.2-22]
  const keepAlive = number('keepAlive', 0, UINT16_MAX) ?? 0;
  const properties = is5 ? connectProperties(form, number, faults) : {};
  const will = form.will ? readWill(form, number, faults) : null;
  if (faults.size > 0) return { faults };
  return {
    options: {
      url: urlOf(form),
      protocolVersion: form.protocolVersion,
      clientid: form.clientid,
      username: form.username === '' ? null : form.username,
      password: form.password === '' ? null : utf8(form.password),
      cleanStart: form.cleanStart,
      keepAlive,
      properties,
      will,
      autoReconnect: form.autoReconnect,
    },
  };
}

type ReadNumber = (field: keyof ConnectionForm, min: number, max: number) => number | undefined;

function connectProperties(
  form: ConnectionForm,
  number: ReadNumber,
  faults: Map<string, FormFault>,
): Properties {
  const userProperty = pairsToSend(form.userProperties);
  if (userProperty === null) faults.set('userProperties', { kind: 'emptyName' });
  return given({
    sessionExpiryInterval: number('sessionExpiryInterval', 0, UINT32_MAX),
    receiveMaximum: number('receiveMaximum', 1, UINT16_MAX),
    maximumPacketSize: number('maximumPacketSize', 1, UINT32_MAX),
    topicAliasMaximum: number('topicAliasMaximum', 0, UINT16_MAX),
    // Left at their defaults they are not sent.
    requestResponseInformation: form.requestResponseInformation || undefined,
    requestProblemInformation: form.requestProblemInformation ? undefined : false,
    userProperty: userProperty?.length ? userProperty : undefined,
  });
}

function readWill(form: ConnectionForm, number: ReadNumber, faults: Map<string, FormFault>) {
  if (form.willTopic === '') faults.set('willTopic', { kind: 'required' });
  else if (!isValidTopic(form.willTopic)) faults.set('willTopic', { kind: 'topic' });
  const parsed = parsePayload(form.willPayload.text, form.willPayload.format);
  if ('fault' in parsed) faults.set('willPayload', { kind: 'payload' });
  const is5 = form.protocolVersion === 5;
  const willDelayInterval = is5 ? number('willDelayInterval', 0, UINT32_MAX) : undefined;
  const read = is5
    ? readMessageProperties(form.willProperties, (field, fault) =>
        faults.set(`willProperties.${field}`, fault),
      )
    : {};
  return {
    topic: form.willTopic,
    payload: 'bytes' in parsed ? parsed.bytes : new Uint8Array(),
    qos: form.willQos,
    retain: form.willRetain,
    properties: { ...given({ willDelayInterval }), ...read },
  };
}

/** The properties of a message as they are sent; those left empty are not. */
export function readMessageProperties(
  form: MessageProperties,
  onFault: (field: keyof MessageProperties, fault: FormFault) => void,
): Properties {
  const userProperty = pairsToSend(form.userProperties);
  if (userProperty === null) onFault('userProperties', { kind: 'emptyName' });
  if (form.responseTopic !== '' && !isValidTopic(form.responseTopic))
    onFault('responseTopic', { kind: 'topic' }); // [MQTT-3.3.2-14]
  return given({
    payloadFormatIndicator: form.payloadFormatIndicator ? (1 as const) : undefined,
    messageExpiryInterval: numberFrom(form.messageExpiryInterval, 0, UINT32_MAX, (fault) =>
      onFault('messageExpiryInterval', fault),
    ),
    contentType: form.contentType || undefined,
    responseTopic: form.responseTopic || undefined,
    correlationData: form.correlationData === '' ? undefined : utf8(form.correlationData),
    userProperty: userProperty?.length ? userProperty : undefined,
  });
}

/** Without what was left open. */
function given(all: { [K in keyof Properties]: Properties[K] | undefined }): Properties {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Properties;
}

/** How many settings below "Advanced" differ from what they are at first. */
export function advancedCount(form: ConnectionForm): number {
  const at = newConnectionForm(form.name);
  const fields = ['keepAlive', 'autoReconnect', ...(form.protocolVersion === 5 ? FIELDS_OF_5 : [])] as const;
  return (
    fields.filter((field) => form[field] !== at[field]).length +
    (form.protocolVersion === 5 && form.userProperties.length > 0 ? 1 : 0)
  );
}
const FIELDS_OF_5 = [
  'sessionExpiryInterval',
  'receiveMaximum',
  'maximumPacketSize',
  'topicAliasMaximum',
  'requestResponseInformation',
  'requestProblemInformation',
] as const;

/** What may be kept in the browser: passwords not, nor what a user property or a will may hold of the kind. */
export function withoutSecrets(form: ConnectionForm): ConnectionForm {
  const fresh = newConnectionForm(form.name);
  const { password, userProperties, willPayload } = fresh;
  const willProperties = { ...form.willProperties, correlationData: '', userProperties: [] };
  return { ...form, password, userProperties, willPayload, willProperties };
}

/** A stored form, whatever an older console or a person made of it. */
export function restoredForm(stored: unknown): ConnectionForm {
  const fresh = newConnectionForm('');
  if (typeof stored !== 'object' || stored === null) return fresh;
  const values = stored as Record<string, unknown>;
  const kept = Object.entries(fresh).filter(
    ([field, value]) => typeof value !== 'object' && typeof values[field] === typeof value,
  );
  const form = { ...fresh, ...Object.fromEntries(kept.map(([field]) => [field, values[field]])) };
  return {
    ...form,
    password: '',
    protocolVersion: [3, 4, 5].includes(form.protocolVersion) ? form.protocolVersion : 5,
    willQos: [0, 1, 2].includes(form.willQos) ? form.willQos : 0,
  };
}
