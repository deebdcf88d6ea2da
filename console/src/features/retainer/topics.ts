import { isValidTopic } from '@mqdeck/mqtt/topics';

/** Servers and proxies commonly read 8 KB of a request line. */
const ADDRESS_MAX = 7500;

/** Whether a path of the API can name the topic: browsers take `.` and `..` out of a path, encoded or not. */
export const hasPath = (topic: string): boolean =>
  topic !== '.' &&
  topic !== '..' &&
  topic.length <= ADDRESS_MAX &&
  encodeURIComponent(topic).length <= ADDRESS_MAX;

/** The topic of an address somebody pasted; a filter there would show whatever it matches first. */
export const topicOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && isValidTopic(value) ? value : undefined;

/** The filter of the branch that a topic is in: its neighbours, and all below them. */
export function branchOf(topic: string): string {
  const end = topic.lastIndexOf('/');
  return `${end === -1 ? topic : topic.slice(0, end)}/#`;
}
