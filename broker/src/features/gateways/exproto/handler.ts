import {
  type Client,
  type ClientWritableStream,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import type { ExprotoConfig } from '@mqdeck/contract/gateways';
import { SslClient } from '@mqdeck/contract/kit/ssl';
import * as z from 'zod/mini';
import { BackendConfigError, type BackendParts } from '../../../backends/backend.ts';
import type { Log } from '../../../core/core.ts';
import { CertificateError } from '../../../core/listeners/certificates.ts';
import { addressOf, callReason, openChannel } from '../../../grpc/channel.ts';
import { exprotoService, type HandlerEvent } from './messages.ts';

const ANSWER_MS = 5000;
const ANSWER_BYTES_MAX = 64 * 1024; // there is nothing in an answer
const SAY_EVERY_MS = 10_000;

/** The handler did not take an event; the message is for operators. */
class HandlerError extends Error {}

/** Where the events of devices go. */
export interface Handler {
  /** Settles when the handler has it; rejects with a HandlerError. */
  tell(event: HandlerEvent, request: object): Promise<void>;
  close(): void;
}

type Config = ExprotoConfig['handler'];

/** Throws CertificateError for TLS that cannot be. */
export function openHandler(config: Config, { log, outbound }: BackendParts): Handler {
  const { address, ssl_options, service_name } = config;
  const ssl = ssl_options ?? z.parse(SslClient, {});
  let client: Client;
  try {
    outbound.checkConfig({ address });
    client = openChannel({ url: address, ssl, outbound, receiveBytesMax: ANSWER_BYTES_MAX });
  } catch (cause) {
    if (cause instanceof BackendConfigError)
      throw new CertificateError(`handler.${cause.path}: ${cause.message}`, { cause });
    throw cause;
  }
  const service = exprotoService(service_name);
  const open = service_name === 'ConnectionHandler' ? streaming : calling;
  return open(client, service as unknown as Record<HandlerEvent, Method>, faults(address, log));
}

type Method = MethodDefinition<object, object>;
type Fault = (error: ServiceError) => HandlerError;

/** Says once in a while that the handler is away, however many devices there are. */
function faults(address: string, log: Log): Fault {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const reason = callReason(error, addressOf(address));
    const now = performance.now();
    if (now - saidAt >= SAY_EVERY_MS) {
      saidAt = now;
      log.warn({ gateway: 'exproto', reason }, 'the handler of the ExProto gateway does not answer');
    }
    return new HandlerError(reason);
  };
}

/** A call for each event. */
const calling = (client: Client, service: Record<HandlerEvent, Method>, fault: Fault): Handler => ({
  tell: (event, request) =>
    new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = service[event];
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        { deadline: Date.now() + ANSWER_MS },
        (error) => (error ? reject(fault(error)) : resolve()),
      );
    }),
  close: () => client.close(),
});

interface Stream {
  call: ClientWritableStream<object>;
  /** Of those whose event is not on its way yet. */
  readonly waiting: Set<(error: HandlerError) => void>;
}

/** One stream for each kind of event, opened when it is needed, and again after it broke. */
function streaming(client: Client, service: Record<HandlerEvent, Method>, fault: Fault): Handler {
  const streams = new Map<HandlerEvent, Stream>();

  function open(event: HandlerEvent): Stream {
    const { path, requestSerialize, responseDeserialize } = service[event];
    const waiting: Stream['waiting'] = new Set();
    const over = (error: ServiceError | null) => {
      if (streams.get(event) === stream) streams.delete(event);
      const why = error ? fault(error) : new HandlerError('the handler has ended a stream');
      for (const reject of waiting) reject(why);
      waiting.clear();
    };
    const call = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, over);
    call.on('error', () => undefined); // told by the callback above
    const stream = { call, waiting };
    streams.set(event, stream);
    return stream;
  }

  return {
    tell: (event, request) =>
      new Promise((resolve, reject) => {
        const { call, waiting } = streams.get(event) ?? open(event);
        waiting.add(reject);
        const timer = setTimeout(() => {
          waiting.delete(reject);
          reject(new HandlerError('the handler takes no more'));
        }, ANSWER_MS);
        call.write(request, () => {
          clearTimeout(timer);
          waiting.delete(reject);
          resolve();
        });
      }),
    close: () => {
      for (const { call } of streams.values()) call.end();
      client.close();
    },
  };
}
