import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { flag } from './kit/values.ts';

/** Off unless somebody switches it on. */
export const TelemetrySettings = z.strictObject({ enable: z._default(flag, false) });
export type TelemetrySettings = z.output<typeof TelemetrySettings>;

/** What is told of a broker. Ours tells nobody: it shows it here, and that is all. */
export const TelemetryData = z.looseObject({
  emqx_version: z.string(),
  license: z.looseObject({ edition: z.string() }),
  os_name: z.string(),
  os_version: z.string(),
  otp_version: z.string(), // the run-time's version
  up_time: z.number(), // seconds
  uuid: z.string(),
  nodes_uuid: z.array(z.string()),
  active_plugins: z.array(z.string()),
  active_modules: z.array(z.string()),
  num_clients: z.number(),
  messages_received: z.number(),
  messages_sent: z.number(),
});
export type TelemetryData = z.infer<typeof TelemetryData>;

export const telemetry = {
  status: endpoint({
    method: 'GET',
    path: '/telemetry/status',
    summary: 'Whether figures about this broker are told; mqdeck sends them nowhere either way',
    ok: json(TelemetrySettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/telemetry/status',
    summary: 'Switch telemetry on or off',
    body: z.strictObject({ enable: flag }),
    ok: json(TelemetrySettings),
  }),
  data: endpoint({
    method: 'GET',
    path: '/telemetry/data',
    summary: 'What would be told',
    ok: json(TelemetryData),
    errors: ['NOT_FOUND'],
  }),
};
