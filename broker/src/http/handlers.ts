import type { Readable } from 'node:stream';
import type { AnswerOf, CheckedRequest, Endpoint } from '@mqdeck/contract/kit/endpoint';

/** A user who signed in. */
export interface SignedIn {
  readonly username: string;
  /** The id of the token in use, not the token. */
  readonly tokenId: string;
}

/** Who sent a request that needs a login: a user, or a program with an API key. */
export type Caller = SignedIn | { readonly apiKey: string };

/** A file on its way in; reading it ends with a failure when it is longer than the endpoint allows. */
export interface Upload {
  /** Null = it came as the body of the request, in JSON. */
  readonly filename: string | null;
  readonly content: AsyncIterable<Buffer>;
  /** Aborted when the sender is gone before the answer. */
  readonly signal: AbortSignal;
}

/** What a handler gets: the request as the contract describes it, and who asks from where. */
export interface Asked<E extends Endpoint> extends CheckedRequest<E> {
  readonly upload: E['upload'] extends object ? Upload : undefined;
  readonly caller: E['access'] extends 'none' | 'scrape'
    ? null
    : E['access'] extends 'user'
      ? SignedIn
      : Caller;
  readonly address: string;
  /** The Accept header; '' without one. */
  readonly accept: string;
}

/** An answer with a status other than the endpoint's usual one. */
export class WithStatus<T> {
  readonly status: number;
  readonly body: T;

  constructor(status: number, body: T) {
    this.status = status;
    this.body = body;
  }
}
export const withStatus = <T>(status: number, body: T): WithStatus<T> => new WithStatus(status, body);

/** A file as the answer, sent while it is made. */
export class Download {
  readonly filename: string;
  readonly type: string;
  readonly content: Readable;

  constructor(filename: string, type: string, content: Readable) {
    this.filename = filename;
    this.type = type;
    this.content = content;
  }
}

type Answer<E extends Endpoint> = AnswerOf<E> | WithStatus<AnswerOf<E>> | Download;

/** 204 is answered by returning nothing. */
export type Handler<E extends Endpoint> = [AnswerOf<E>] extends [undefined]
  ? (request: Asked<E>) => void | Promise<void>
  : (request: Asked<E>) => Answer<E> | Promise<Answer<E>>;

/** An answer for every endpoint of a feature; a missing one does not compile. A returned text is sent as plain text. */
export type Handlers<T extends Record<string, Endpoint>> = { [K in keyof T]: Handler<T[K]> };
