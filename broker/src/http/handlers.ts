import type { AnswerOf, CheckedRequest, Endpoint } from '@mqdeck/contract/kit/endpoint';

/** Who sent a request that needs a login. */
export interface Caller {
  readonly username: string;
  /** The id of the token in use, not the token. */
  readonly tokenId: string;
}

/** What a handler gets: the request as the contract describes it, and who asks from where. */
export interface Asked<E extends Endpoint> extends CheckedRequest<E> {
  readonly caller: E['access'] extends 'none' ? null : Caller;
  readonly address: string;
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

type Answer<E extends Endpoint> = AnswerOf<E> | WithStatus<AnswerOf<E>>;

/** 204 is answered by returning nothing. */
export type Handler<E extends Endpoint> = [AnswerOf<E>] extends [undefined]
  ? (request: Asked<E>) => void | Promise<void>
  : (request: Asked<E>) => Answer<E> | Promise<Answer<E>>;

/** An answer for every endpoint of a feature; a missing one does not compile. A returned text is sent as plain text. */
export type Handlers<T extends Record<string, Endpoint>> = { [K in keyof T]: Handler<T[K]> };
