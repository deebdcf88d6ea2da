import type { AccessQuestion } from '@mqdeck/contract/access';
import type { Search } from '../../search-text.ts';

/** What is asked, as the address keeps it: never with a password. */
export type Question = Omit<AccessQuestion, 'password'>;

export const STANDARD: Question = {
  clientid: '',
  username: undefined,
  peerhost: '127.0.0.1',
  listener: 'tcp:default',
  connected: false,
  action: 'publish',
  topic: undefined,
  qos: 0,
  retain: false,
};

const one = (value: Search[string] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The question of an address; what is missing or odd is the usual. */
export function questionOf(values: Search): Question {
  const qos = Number(one(values.qos));
  return {
    clientid: one(values.clientid) ?? '',
    username: one(values.username),
    peerhost: one(values.peerhost) ?? STANDARD.peerhost,
    listener: one(values.listener) ?? STANDARD.listener,
    connected: values.connected === 'true',
    action: values.action === 'subscribe' ? 'subscribe' : 'publish',
    topic: one(values.topic),
    qos: qos === 1 || qos === 2 ? qos : 0,
    retain: values.retain === 'true',
  };
}

/** For the address: the usual is left out. */
export function searchOf(question: Question): Record<keyof Question, string | undefined> {
  const texts = Object.entries(question).map(([name, value]) => {
    const isUsual = value === undefined || value === null || value === STANDARD[name as keyof Question];
    return [name, isUsual ? undefined : String(value)];
  });
  return Object.fromEntries(texts) as Record<keyof Question, string | undefined>;
}
