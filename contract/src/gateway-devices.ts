import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { queryBool } from './kit/query.ts';
import { duration, text } from './kit/values.ts';

/** What can be asked of a single device of the gateways coap and lwm2m. */

const COAP_METHODS = ['get', 'put', 'post', 'delete'] as const;
const COAP_CONTENT_TYPES = ['text/plain', 'application/json', 'application/octet-stream'] as const;
const COAP_TOKEN_BYTES_MAX = 8;

const coapToken = text.check(
  z.refine((token) => new TextEncoder().encode(token).length <= COAP_TOKEN_BYTES_MAX, 'bad_token'),
);

const CoapRequest = z.strictObject({
  /** Of the request; without one it gets one of its own. */
  token: z.optional(coapToken),
  method: z._default(z.enum(COAP_METHODS, 'not_a_enum_symbol'), 'get'),
  /** How long to wait for the answer; five minutes at most. */
  timeout: z._default(duration, '30s'),
  content_type: z._default(z.enum(COAP_CONTENT_TYPES, 'not_a_enum_symbol'), 'text/plain'),
  /** In Base64 when the content type is that of bytes. */
  payload: z._default(text, ''),
});
export type CoapRequest = z.output<typeof CoapRequest>;

const CoapAnswer = z.looseObject({
  id: z.number(), // of the message
  token: z.string(),
  /** The code of the answer by name: `content`, `not_found` … */
  method: z.string(),
  /** In Base64 when the content type of the request was that of bytes. */
  payload: z.string(),
});
export type CoapAnswer = z.infer<typeof CoapAnswer>;

export const LWM2M_TYPES = ['Integer', 'Float', 'Time', 'String', 'Boolean', 'Opaque', 'Objlnk'] as const;
export type Lwm2mType = (typeof LWM2M_TYPES)[number];

/** What is known of a resource; of one that nobody has described only its path. */
const Lwm2mResource = z.looseObject({
  path: z.string(),
  name: z.optional(z.string()),
  dataType: z.optional(z.string()),
  /** `R`, `W`, `RW`, `E` */
  operations: z.optional(z.string()),
});
export type Lwm2mResource = z.infer<typeof Lwm2mResource>;

const Lwm2mLookup = z.looseObject({
  clientid: z.string(),
  path: z.string(),
  action: z.string(),
  code: z.optional(z.string()),
  /** `reply_not_received` as long as there is no answer. */
  codeMsg: z.string(),
  content: z.optional(z.array(Lwm2mResource)),
});
export type Lwm2mLookup = z.infer<typeof Lwm2mLookup>;

/** `/3/0/7`: object, instance, resource, instance of a resource. */
const LWM2M_PATH = /^\/?\d{1,5}(\/\d{1,5}){0,3}\/?$/;
const lwm2mPath = z.string().check(z.regex(LWM2M_PATH, 'bad_path'));

export const gatewayDevices = {
  requestCoap: endpoint({
    method: 'POST',
    path: '/gateways/coap/clients/:clientid/request',
    summary: 'Send a request to a device and wait for its answer',
    body: CoapRequest,
    ok: json(CoapAnswer),
    errors: ['CLIENT_NOT_FOUND', 'CLIENT_NOT_RESPONSE'],
  }),
  lookupLwm2m: endpoint({
    method: 'GET',
    path: '/gateways/lwm2m/clients/:clientid/lookup',
    summary: 'What a device has answered last to an action on a path',
    query: z.strictObject({ path: lwm2mPath, action: z.string().check(z.maxLength(64)) }),
    ok: json(Lwm2mLookup),
    errors: ['CLIENT_NOT_FOUND'],
  }),
  observeLwm2m: endpoint({
    method: 'POST',
    path: '/gateways/lwm2m/clients/:clientid/observe',
    summary: 'Observe a path of a device, or observe it no more',
    query: z.strictObject({ path: lwm2mPath, enable: queryBool }),
    ok: noContent,
    errors: ['CLIENT_NOT_FOUND'],
  }),
  readLwm2m: endpoint({
    method: 'POST',
    path: '/gateways/lwm2m/clients/:clientid/read',
    summary: 'Ask a device for what is at a path; the answer is published, and found by a lookup',
    query: z.strictObject({ path: lwm2mPath }),
    ok: noContent,
    errors: ['CLIENT_NOT_FOUND'],
  }),
  writeLwm2m: endpoint({
    method: 'POST',
    path: '/gateways/lwm2m/clients/:clientid/write',
    summary: 'Have a device set a resource',
    query: z.strictObject({
      path: lwm2mPath,
      type: z.enum(LWM2M_TYPES, 'not_a_enum_symbol'),
      value: text,
    }),
    ok: noContent,
    errors: ['CLIENT_NOT_FOUND'],
  }),
};
