import type * as z from 'zod/mini';
import type { ErrorCode } from '../error-codes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What an endpoint answers when all went well: a JSON body, a text, or nothing. */
export interface Reply<S extends z.ZodMiniType | null = z.ZodMiniType | null> {
  status: 200 | 201 | 202 | 204;
  schema: S;
}

export const json = <S extends z.ZodMiniType>(schema: S, status: 200 | 201 | 202 = 200): Reply<S> => ({
  status,
  schema,
});
export const noContent: Reply<null> = { status: 204, schema: null };
/** 200 without a body, where the real API answers so. */
export const empty: Reply<null> = { status: 200, schema: null };

/**
 * Who may call: `bearer` = a signed-in user or an API key, `user` = a signed-in user only, `none` = everybody,
 * `scrape` = everybody until the operator wants a login of whoever fetches figures.
 */
export type Access = 'bearer' | 'user' | 'none' | 'scrape';

export interface Endpoint {
  method: Method;
  /** Below the base path, e.g. `/clients/:clientid`. Each parameter is one percent-encoded segment. */
  path: string;
  /** A short sentence for the API page. */
  summary: string;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  /** The fields of the body depend on its `type`; the handler checks it by the schemas of these. */
  bodyByType?: 'bridge' | 'connector' | 'action' | 'source' | 'gateway' | 'gateway_listener';
  /** A file instead of a body: in this field of a multipart form, or, when it is JSON, as the body itself. */
  upload?: { field: string; bytesMax: number };
  /** A text instead of a JSON body. */
  text?: { bytesMax: number };
  ok: Reply;
  /** The codes this endpoint may fail with, beside BAD_REQUEST and those of the login. */
  errors?: readonly ErrorCode[];
  access?: Access;
  /** A question that changes nothing, though it is no GET: the audit log does not tell of it. */
  asks?: true;
  /** Of this edition alone; in the other one there is nothing at this path. */
  edition?: 'enterprise';
  /** Set where the real API has no such endpoint: what it adds. The console must work without it. */
  extension?: string;
}

/** Declares an endpoint; keeps its literal types for requests, answers and path parameters. */
export const endpoint = <const E extends Endpoint>(spec: E): E => spec;

type ParamNames<P extends string> = P extends `${string}:${infer N}/${infer R}`
  ? N | ParamNames<`/${R}`>
  : P extends `${string}:${infer N}`
    ? N
    : never;

/** `/clients/:clientid` gives `{ clientid: string }`. */
export type ParamsOf<E extends Endpoint> = { [K in ParamNames<E['path']>]: string };
type In<S> = S extends z.ZodMiniType ? z.input<S> : undefined;
type Out<S> = S extends z.ZodMiniType ? z.output<S> : undefined;

type Part<K extends string, T> = [T] extends [undefined]
  ? unknown
  : [keyof T] extends [never]
    ? unknown
    : { [P in K]: T };
type OptionalPart<K extends string, T> = [T] extends [undefined] ? unknown : { [P in K]?: T };

/** What a caller gives. */
export type RequestOf<E extends Endpoint> = Part<'params', ParamsOf<E>> &
  OptionalPart<'query', In<E['query']>> &
  (E['body'] extends z.ZodMiniType ? { body: In<E['body']> } : unknown) &
  (E['upload'] extends object ? { body: Blob | FormData } : unknown) &
  (E['text'] extends object ? { body: Blob } : unknown);

/** What a handler gets, checked. */
export interface CheckedRequest<E extends Endpoint> {
  params: ParamsOf<E>;
  query: Out<E['query']>;
  body: E['text'] extends object ? string : Out<E['body']>;
}

/** The body of the answer; `undefined` where there is none. */
export type AnswerOf<E extends Endpoint> = Out<E['ok']['schema']>;

/** Fills the parameters of a path, each encoded as one segment. */
export function pathOf(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`path ${path}: no value for ${name}`);
    // URL parsers of browsers resolve segments of dots, encoded or not: callers must not address such ids by path.
    return value === '.' || value === '..' ? value.replaceAll('.', '%2E') : encodeURIComponent(value);
  });
}
