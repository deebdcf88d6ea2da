/** A statement as it was read. */

export type Operator = '+' | '-' | '*' | '/' | 'div' | 'mod';
export type Comparison = '=' | '!=' | '>' | '<' | '>=' | '<=' | '=~';

/** A step into a value. */
export type Step =
  | { key: string }
  | { index: Expression; append: boolean } // `append`: [-0]
  | { from: number; to: number };

export interface Path {
  kind: 'path';
  root: string;
  steps: Step[];
  start: number; // offset in the statement
  end: number;
}

export interface Call {
  kind: 'call';
  name: string;
  args: Expression[];
  start: number;
  end: number;
}

export type Expression =
  | { kind: 'value'; value: string | number | bigint | boolean }
  | Path
  | Call
  | { kind: 'array'; items: Expression[] }
  | { kind: 'arithmetic'; operator: Operator; left: Expression; right: Expression }
  | { kind: 'negate'; of: Expression }
  | { kind: 'compare'; operator: Comparison; left: Expression; right: Expression }
  | { kind: 'in'; left: Expression; items: Expression[] }
  | { kind: 'logic'; operator: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'not'; of: Expression }
  | {
      kind: 'case';
      of: Expression | null; // null: each `when` is a condition
      branches: { when: Expression; result: Expression }[];
      otherwise: Expression | null;
    };

/** Where the value of a field goes. */
export type Alias = [string, ...Step[]];

export type Field =
  | { kind: 'all' }
  | { kind: 'as'; expression: Expression; alias: Alias | null; named: boolean };

export type Statement = {
  sources: { filter: string; start: number; end: number }[];
  where: Expression | null;
} & (
  | { kind: 'select'; fields: Field[] }
  | { kind: 'foreach'; collect: Field[]; each: Field[] | null; inCase: Expression | null }
);
