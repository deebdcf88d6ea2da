import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';

/** Every code the API answers with: its HTTP status unless told otherwise, and what it means. */
export const errorCodes = {
  BAD_USERNAME_OR_PWD: [401, 'Incorrect username or password'],
  LOGIN_LOCKED: [401, 'Too many failed logins: this user is locked for a while'],
  WRONG_TOKEN_OR_USERNAME: [401, 'The token belongs to another user'],
  AUTHORIZATION_HEADER_ERROR: [401, 'The Authorization header is missing or cannot be read'],
  BAD_TOKEN: [401, 'The token is unknown, forged or no longer valid'],
  TOKEN_TIME_OUT: [401, 'The token was not used for longer than it lives'],
  BAD_API_KEY_OR_SECRET: [401, 'The API key is unknown, disabled or expired, or its secret is wrong'],
  API_KEY_NOT_ALLOW: [401, 'An API key may not do this'],
  FORBIDDEN: [403, 'Not allowed'],
  BAD_REQUEST: [400, 'The request parameters are invalid'],
  NOT_ALLOWED: [400, 'This is not allowed'],
  ERROR_PWD_NOT_MATCH: [400, 'The old password is wrong'],
  NOT_MATCH: [412, 'The conditions do not match'],
  TEST_FAILED: [400, 'What was tried does not work'],
  ALREADY_EXISTS: [409, 'It exists already'],
  BAD_CONFIG_SCHEMA: [400, 'The configuration data is not valid'],
  BAD_CONFIG: [400, 'The configuration is not valid'],
  BAD_LISTENER_ID: [400, 'The listener id is wrong'],
  ALREADY_INSTALLED: [400, 'It is installed already'],
  BAD_PLUGIN_INFO: [400, 'The package is no plugin that this broker can run'],
  MOVE_FAILED: [400, 'It cannot be moved there'],
  FILE_NOT_EXISTED: [404, 'There is no such file'],
  BAD_NODE_NAME: [400, 'The node name is wrong'],
  BAD_RPC: [500, 'A call between nodes failed'],
  BAD_TOPIC: [400, 'The topic is wrong'],
  EXCEED_LIMIT: [400, 'There is no room for another one'],
  INVALID_PARAMS: [400, 'The parameters do not fit together, or there is no room for another one'],
  INVALID_PARAMETER: [400, 'A parameter is out of range or of the wrong type'],
  DUPLICATE_CONDITION: [409, 'Another one has the same condition'],
  CONFLICT: [409, 'It conflicts with something that exists'],
  INVALID_ACCEPT: [400, 'Nothing of what the Accept header names can be answered'],
  NO_DEFAULT_VALUE: [400, 'There is no default value'],
  DEPENDENCY_EXISTS: [400, 'Something else depends on it'],
  MESSAGE_ID_SCHEMA_ERROR: [400, 'The message id cannot be read'],
  INVALID_ID: [400, 'The id is not valid'],
  MESSAGE_ID_NOT_FOUND: [404, 'There is no message of that id'],
  NOT_FOUND: [404, 'There is no such thing'],
  CLIENTID_NOT_FOUND: [404, 'There is no client of that id'],
  CLIENT_NOT_FOUND: [404, 'There is no such client'],
  RESOURCE_NOT_FOUND: [404, 'There is no such resource'],
  TOPIC_NOT_FOUND: [404, 'There is no such topic'],
  USER_NOT_FOUND: [404, 'There is no such user'],
  NODE_DOWN: [500, 'There is no running node of that name'],
  INTERNAL_ERROR: [500, 'The broker failed; its log says more'],
  SERVICE_UNAVAILABLE: [503, 'The service is not available'],
  SOURCE_ERROR: [400, 'The source failed'],
  UPDATE_FAILED: [500, 'The update failed'],
  REST_FAILED: [500, 'The reset or restart failed'],
  CLIENT_NOT_RESPONSE: [500, 'The client does not respond'],
  METHOD_NOT_ALLOWED: [405, 'The path exists, but not for this method'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported'],
  UPSTREAM_UNREACHABLE: [502, 'The cluster behind this console does not answer'],
} as const satisfies Record<string, readonly [status: number, description: string]>;
export type ErrorCode = keyof typeof errorCodes;

/** The body of an error. `message` may hold the JSON of one or several validation faults (kit/faults.ts). */
export const ApiFailure = z.looseObject({ code: z.string(), message: z.string() });

const ErrorCodeRow = z.looseObject({ code: z.string(), description: z.string() });

export const errors = {
  list: endpoint({
    method: 'GET',
    path: '/error_codes',
    summary: 'All error codes with their meaning',
    access: 'none',
    ok: json(z.array(ErrorCodeRow)),
  }),
  get: endpoint({
    method: 'GET',
    path: '/error_codes/:code',
    summary: 'The meaning of one error code',
    access: 'none',
    ok: json(ErrorCodeRow),
    errors: ['NOT_FOUND'],
  }),
};
