import type { DeliveryQuestion } from '@mqdeck/contract/delivery';
import type { Search } from '../../search-text.ts';

const textOf = (value: Search[string] | undefined): string => (typeof value === 'string' ? value : '');
const countOf = (value: Search[string] | undefined): number => {
  const number = Number(textOf(value));
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
};

/** The question of an address; what is missing or odd is the usual. */
export function questionOf(values: Search): DeliveryQuestion {
  const qos = countOf(values.qos);
  return {
    publisher: textOf(values.publisher),
    topic: textOf(values.topic),
    subscriber: textOf(values.subscriber),
    qos: qos === 1 || qos === 2 ? qos : 0,
    retain: values.retain === 'true',
    payload_bytes: countOf(values.payload_bytes),
    expiry: countOf(values.expiry),
  };
}

/** For the address: the usual is left out. */
export const searchOf = (question: DeliveryQuestion): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(question).map(([name, value]) => [name, value ? String(value) : undefined]),
  );

export const isWhole = ({ publisher, topic, subscriber }: DeliveryQuestion): boolean =>
  publisher !== '' && topic !== '' && subscriber !== '';
