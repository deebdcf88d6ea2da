import type { LogLine } from '@mqdeck/contract/log';
import { visibleText } from '../../ui/visible-text.ts';

/** A fact as one sees it: texts as they are, the rest as JSON. */
export const factText = (value: unknown): string =>
  visibleText(typeof value === 'string' ? value : JSON.stringify(value));

/** A line as a file of the log would have it. */
export const lineText = ({ time, level, msg, facts }: LogLine): string => {
  const rest = Object.entries(facts).map(([name, value]) => {
    const plain = typeof value === 'string' && /^[^\s"=]+$/.test(value);
    return ` ${name}=${plain ? visibleText(value) : visibleText(JSON.stringify(value))}`;
  });
  return `${time} [${level}] ${visibleText(msg)}${rest.join('')}`;
};
