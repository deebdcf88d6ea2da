import { isIP } from 'node:net';
import {
  type traces as endpoints,
  TRACE_LIFE_MS,
  TRACE_LOG_BYTES_MAX,
  type Trace as TraceAnswer,
  type TraceRequest,
} from '@mqdeck/contract/traces';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import { Download, type Handlers } from '../../http/handlers.ts';
import { rfc3339Seconds } from '../../paging/rfc3339.ts';
import type { Trace, Traces } from './traces.ts';
import { zipOf } from './zip.ts';

export function traceApi(traces: Traces, node: string): Handlers<typeof endpoints> {
  const found = (name: string): Trace =>
    traces.find(name) ?? fail('NOT_FOUND', `There is no trace ${shortened(name)}`);
  const checkNode = (name: string | undefined) => {
    if (name !== undefined && name !== node) fail('NOT_FOUND', 'There is no such node');
  };
  const present = ({ facts, file }: Trace, status: TraceAnswer['status']): TraceAnswer => ({
    name: facts.name,
    type: facts.type,
    [facts.type]: facts.condition,
    start_at: rfc3339Seconds(facts.startAt),
    end_at: rfc3339Seconds(facts.endAt),
    status,
    log_size: { [node]: file.size },
    formatter: facts.formatter,
    payload_encode: facts.payloadEncode,
    ...(facts.packets && { packets: [...facts.packets] }),
    ...((facts.stopped === 'size' || facts.stopped === 'disk') && { stopped_by: facts.stopped }),
  });
  return {
    list: () => traces.all().map((trace) => present(trace, trace.status(traces.now))),
    create: async ({ body }) => {
      const condition = conditionOf(body);
      const { startAt, endAt } = timesOf(body, traces.now);
      const { name, type, formatter, payload_encode: payloadEncode, packets } = body;
      if (traces.find(name)) fail('ALREADY_EXISTS', `There is a trace ${name} already`);
      const same = traces.sameCondition(type, condition);
      if (same) fail('DUPLICATE_CONDITION', `The trace ${same.facts.name} has the same condition`);
      if (traces.isFull) fail('INVALID_PARAMS', 'There are as many traces as there can be; delete one first');
      const trace = await traces.create({
        name,
        type,
        condition,
        startAt,
        endAt,
        formatter,
        payloadEncode,
        ...(packets && { packets }),
        stopped: null,
      });
      return present(trace, trace.status(traces.now));
    },
    clear: async () => {
      await Promise.all(traces.all().map((trace) => traces.remove(trace)));
    },
    remove: ({ params: { name } }) => traces.remove(found(name)),
    stop: async ({ params: { name } }) => {
      await traces.stop(found(name));
      return { name, enable: false };
    },
    files: ({ params: { name } }) => {
      const { file } = found(name);
      return file.mtime === 0 ? [] : [{ node, size: file.size, mtime: Math.floor(file.mtime / 1000) }];
    },
    log: async ({ params: { name }, query }) => {
      const { file } = found(name);
      checkNode(query.node);
      const { bytes } = query;
      const piece = await file.read(Math.max(0, query.position), Math.min(bytes, TRACE_LOG_BYTES_MAX));
      if (piece === null) return fail('BAD_REQUEST', 'The log ends before this position');
      return { items: piece.text, meta: { position: piece.position, bytes } };
    },
    download: async ({ params: { name }, query }) => {
      const { file, facts } = found(name);
      checkNode(query.node);
      await file.settled();
      const opened = (await file.openToRead()) ?? fail('NOT_FOUND', 'The trace has written nothing yet');
      return new Download(`${facts.name}.zip`, 'application/x-zip', zipOf(`${node}-${facts.file}`, opened));
    },
  };
}

function conditionOf(body: TraceRequest): string {
  const { type } = body;
  const condition = body[type];
  if (condition === undefined) return fail('INVALID_PARAMS', `The field ${type} is missing`);
  switch (type) {
    case 'topic':
      if (!isValidFilter(condition)) fail('INVALID_PARAMS', `${shortened(condition)} is no topic filter`);
      return condition;
    case 'ip_address':
      return addressOf(condition) ?? fail('INVALID_PARAMS', `${shortened(condition)} is no IP address`);
    case 'ruleid':
      return condition === '' ? fail('INVALID_PARAMS', 'The id of the rule is empty') : condition;
    default:
      return condition;
  }
}

/** As the broker writes it; null when it is none. */
function addressOf(text: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined && isIP(mapped) === 4) return mapped;
  if (isIP(text) === 4) return text;
  return isIP(text) === 6 && !text.includes('%') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : null;
}

function timesOf({ start_at, end_at }: TraceRequest, now: number): { startAt: number; endAt: number } {
  const startAt = start_at === undefined ? now : start_at * 1000;
  const endAt = end_at === undefined ? startAt + TRACE_LIFE_MS : end_at * 1000;
  if (startAt >= endAt) fail('INVALID_PARAMS', 'The end must be after the start');
  if (endAt <= now) fail('INVALID_PARAMS', 'The end has passed already');
  return { startAt, endAt };
}

const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
