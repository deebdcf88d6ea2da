import type { Scope } from '../scope.ts';
import type { Value } from '../values.ts';

/** What the functions need of the world around them. */
export interface World {
  now(): number; // epoch ms
  topicMatches(topic: string, filter: string): boolean;
  /** What rules have put aside for each other. */
  store: Map<string, Value>;
}

export interface SqlFunction {
  /** How many arguments it takes. */
  arity: readonly number[];
  run: (args: Value[], world: World, scope: Scope) => Value;
}

export type FunctionTable = ReadonlyMap<string, SqlFunction>;

export type Functions = Readonly<Record<string, SqlFunction>>;

export const fn = (arity: number | readonly number[], run: SqlFunction['run']): SqlFunction => ({
  arity: typeof arity === 'number' ? [arity] : arity,
  run,
});
