/** A statement that cannot be read; the message is the API's, the offsets are for an editor. */
export class SqlSyntaxError extends Error {
  readonly start: number;
  readonly end: number;
  readonly line: number; // from 1

  constructor(message: string, sql: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
    this.line = lineOf(sql, start);
  }

  static before(sql: string, token: string, start: number, end: number): SqlSyntaxError {
    return new SqlSyntaxError(`${lineOf(sql, start)}: syntax error before: ${token}`, sql, start, end);
  }

  /** A character that occurs in no statement, or a quote that is not closed. */
  static illegal(sql: string, at: number): SqlSyntaxError {
    return new SqlSyntaxError(JSON.stringify({ lex_error: 'sql_lex' }), sql, at, at + 1);
  }
}

function lineOf(sql: string, offset: number): number {
  let line = 1;
  for (let at = sql.indexOf('\n'); at !== -1 && at < offset; at = sql.indexOf('\n', at + 1)) line++;
  return line;
}

/** Where a statement failed on a message. */
export type Stage =
  | 'select_and_transform_error'
  | 'select_and_collect_error'
  | 'match_conditions_error'
  | 'match_incase_error'
  | 'doeach_error';

export type Reason = string | { reason: string; function_name: string; arguments: unknown[] };

/** What an expression cannot do with the values it was given. */
export class SqlFault extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(typeof reason === 'string' ? reason : reason.reason);
    this.reason = reason;
  }

  static argument(name: string, args: readonly unknown[]): SqlFault {
    return new SqlFault({
      reason: 'bad_sql_function_argument',
      function_name: name,
      arguments: args.map((one) => (one === undefined || typeof one === 'bigint' ? String(one) : one)),
    });
  }
}

/** A fault with its place; the message is the API's JSON text. */
export class SqlRuntimeError extends Error {
  readonly stage: Stage;
  readonly reason: Reason;

  constructor(stage: Stage, { reason }: SqlFault) {
    super(JSON.stringify({ [stage]: reason }));
    this.stage = stage;
    this.reason = reason;
  }
}
