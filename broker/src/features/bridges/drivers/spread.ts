import { textOf } from '@mqdeck/rulesql/values';
import type { Row } from '../../../resources/driver.ts';

/** Which of `count` connections a row takes, from 0: those of one client always the same, so that they keep their order. */
export function spread({ clientid }: Row, count: number): number {
  if (count <= 1) return 0;
  const text = textOf(clientid ?? null);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash % count;
}
