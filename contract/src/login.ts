import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { duration, parseDuration, text } from './kit/values.ts';

/** Unknown fields of a login are ignored, as the real API does. */
const LoginRequest = z.object({ username: text, password: text });

/** Edition as the login names it: `ce` or `ee`; clusters of other versions use other words. */
export const LoginAnswer = z.looseObject({
  token: z.string(),
  version: z.string(),
  license: z.looseObject({ edition: z.string() }),
});
export type LoginAnswer = z.infer<typeof LoginAnswer>;

/** A token that lives shorter dies between two calls of the console; ten years are as good as for ever. */
const TOKEN_LIFE_MS = { min: 1000, max: 3650 * 86_400_000 } as const;
const tokenLife = duration.check(
  z.refine((value) => {
    const ms = parseDuration(value) ?? 0;
    return ms >= TOKEN_LIFE_MS.min && ms <= TOKEN_LIFE_MS.max;
  }, 'A token lives from 1s to 3650d'),
);

/** What operators may set; `token_expired_time`: a token dies when it was not used for so long. */
export const LoginSettings = z.strictObject({ token_expired_time: z._default(tokenLife, '60m') });
export type LoginSettings = z.output<typeof LoginSettings>;

/** Longer names and passwords are refused before anything is looked up or hashed. */
export const CREDENTIAL_LENGTH_MAX = 1024;

/** Failed logins of one user within the window that lock it, and for how long. */
export const LOGIN_LOCK = { failures: 5, windowSeconds: 300, lockSeconds: 600 } as const;

export const login = {
  login: endpoint({
    method: 'POST',
    path: '/login',
    summary: 'Sign in; the token goes into the Authorization header of every other call',
    access: 'none',
    body: LoginRequest,
    ok: json(LoginAnswer),
    errors: ['BAD_USERNAME_OR_PWD', 'LOGIN_LOCKED'],
  }),
  logout: endpoint({
    method: 'POST',
    path: '/logout',
    summary: 'Sign out: the token is dead at once',
    access: 'user',
    body: z.object({ username: text }),
    ok: noContent,
    errors: ['WRONG_TOKEN_OR_USERNAME'],
  }),
  getSettings: endpoint({
    method: 'GET',
    path: '/configs/dashboard',
    summary: 'How long the token of a sign-in lives',
    ok: json(z.looseObject({ token_expired_time: duration })),
  }),
  updateSettings: endpoint({
    method: 'PUT',
    path: '/configs/dashboard',
    summary: 'Change how long a token lives; it counts for each token from its next use on',
    body: LoginSettings,
    ok: json(z.looseObject({ token_expired_time: duration })),
  }),
};
