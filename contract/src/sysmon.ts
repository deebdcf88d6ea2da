import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { flag, intBetween, parseBytes, parseDuration, percent } from './kit/values.ts';

const NO_DURATION = 'Not a valid duration';
const duration = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => (parseDuration(value) ?? 0) > 0, NO_DURATION));
const size = z
  .union([z.string(), z.number()], 'Not a valid bytesize')
  .check(z.refine((value) => parseBytes(value) !== null, 'Not a valid bytesize'));
const off = z.literal('disabled');
const positive = expected('pos_integer()');
const threshold = z.number(positive).check(z.int(positive), z.gte(1, positive));

const osFields = {
  cpu_check_interval: duration,
  /** Above it the alarm `high_cpu_usage` begins, below the other it ends. */
  cpu_high_watermark: percent,
  cpu_low_watermark: percent,
  mem_check_interval: z.union([off, duration], NO_DURATION),
  /** Of the machine: the alarm `high_system_memory_usage`. */
  sysmem_high_watermark: percent,
  /** Of the machine's memory, taken by the broker alone: the alarm `high_process_memory_usage`. */
  procmem_high_watermark: percent,
};

const vmFields = {
  process_check_interval: duration,
  /** Connections, of as many files as the broker may have open: the alarm `too_many_connections`. */
  process_high_watermark: percent,
  process_low_watermark: percent,
  /** A garbage collection that takes longer is logged and told below `$SYS`; as what follows. */
  long_gc: z.union([off, duration], NO_DURATION),
  /** So long the broker was busy with one thing. */
  long_schedule: z.union([off, duration], NO_DURATION),
  /** So much the heap has grown within a second. */
  large_heap: z.union([off, size], 'Not a valid bytesize'),
  /** There are no other nodes: kept for those who send it back. */
  busy_dist_port: flag,
  /** Clients that do not take what is sent to them. */
  busy_port: flag,
};

/** When the broker calls for help, and what of its own trouble it tells. */
export const SysmonSettings = z.strictObject({
  os: z.prefault(
    z.strictObject({
      cpu_check_interval: z._default(osFields.cpu_check_interval, '60s'),
      cpu_high_watermark: z._default(osFields.cpu_high_watermark, '80%'),
      cpu_low_watermark: z._default(osFields.cpu_low_watermark, '60%'),
      mem_check_interval: z._default(osFields.mem_check_interval, '60s'),
      sysmem_high_watermark: z._default(osFields.sysmem_high_watermark, '70%'),
      procmem_high_watermark: z._default(osFields.procmem_high_watermark, '30%'),
    }),
    {},
  ),
  vm: z.prefault(
    z.strictObject({
      process_check_interval: z._default(vmFields.process_check_interval, '30s'),
      process_high_watermark: z._default(vmFields.process_high_watermark, '80%'),
      process_low_watermark: z._default(vmFields.process_low_watermark, '60%'),
      long_gc: z._default(vmFields.long_gc, 'disabled'),
      long_schedule: z._default(vmFields.long_schedule, '240ms'),
      large_heap: z._default(vmFields.large_heap, '256MB'),
      busy_dist_port: z._default(vmFields.busy_dist_port, true),
      busy_port: z._default(vmFields.busy_port, true),
    }),
    {},
  ),
  /** Thresholds of parts that only the real broker has: kept for those who send them back. */
  mnesia_tm_mailbox_size_alarm_threshold: z._default(threshold, 500),
  broker_pool_mailbox_size_alarm_threshold: z._default(threshold, 500),
});
export type SysmonSettings = z.output<typeof SysmonSettings>;

/** Where alarms are told, and how long those that ended are remembered. */
export const AlarmSettings = z.strictObject({
  actions: z._default(z.array(z.enum(['log', 'publish'])), ['log', 'publish']),
  size_limit: z._default(intBetween(1, 3000), 1000),
  validity_period: z._default(duration, '24h'),
});
export type AlarmSettings = z.output<typeof AlarmSettings>;

export const sysmon = {
  get: endpoint({
    method: 'GET',
    path: '/configs/sysmon',
    summary: 'When alarms of the machine and the broker begin',
    ok: json(SysmonSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/configs/sysmon',
    summary: 'Change when alarms begin; the whole settings are sent',
    body: SysmonSettings,
    ok: json(SysmonSettings),
    errors: ['UPDATE_FAILED'],
  }),
  getAlarm: endpoint({
    method: 'GET',
    path: '/configs/alarm',
    summary: 'Where alarms are told, and how long they are remembered',
    ok: json(AlarmSettings),
  }),
  updateAlarm: endpoint({
    method: 'PUT',
    path: '/configs/alarm',
    summary: 'Change where alarms are told, and how long they are remembered',
    body: AlarmSettings,
    ok: json(AlarmSettings),
  }),
};
