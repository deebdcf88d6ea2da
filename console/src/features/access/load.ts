import { api } from '@mqdeck/contract/api';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { computeAccess, type Known } from './compute.ts';
import type { Question } from './question.ts';
import { type AccessView, viewOf } from './view.ts';

/** More than this of the blacklist is not read for one question. */
const BANS = 1000;

/** Asks the broker; one that does not explain itself is looked into as far as it lets us. */
export async function testAccess(
  question: Question,
  password: string | undefined,
  signal: AbortSignal,
): Promise<AccessView> {
  const { username, topic, ...rest } = question;
  const body = {
    ...rest,
    ...(username !== undefined && { username }),
    ...(topic !== undefined && { topic }),
    ...(password !== undefined && { password }),
  };
  try {
    return viewOf(await request(api.access.test, { body }, { signal, quiet: true }), topic);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.absent) throw error;
  }
  const whole = question.connected ? await asConnected(question, signal) : question;
  return computeAccess(whole, await look(whole, signal), Date.now());
}

/** What the list of clients tells of it; its attributes and the rules of its token stay unknown. */
async function asConnected(question: Question, signal: AbortSignal): Promise<Question> {
  const { clientid } = question;
  const client = await request(api.clients.get, { params: { clientid } }, { signal, quiet: true });
  if (!client.connected) throw new ApiError({ status: 404, code: 'CLIENTID_NOT_FOUND' });
  return {
    ...question,
    username: client.username ?? undefined,
    peerhost: client.ip_address ?? question.peerhost,
    listener: typeof client.listener === 'string' ? client.listener : question.listener,
  };
}

async function look({ clientid, username }: Question, signal: AbortSignal): Promise<Known> {
  const options = { signal, quiet: true };
  const { clientRule, userRule, allRules } = api.authorization;
  const rulesOf = async (
    asked: Promise<{ rules: NonNullable<Known['rules']>['all'] | readonly unknown[] }>,
  ) =>
    asked.then(
      ({ rules }) => rules as NonNullable<Known['rules']>['all'],
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404 && !error.absent) return [];
        throw error;
      },
    );
  const [bans, authenticators, sources, settings, rules] = await Promise.all([
    told(request(api.banned.list, { query: { limit: BANS } }, options)),
    told(request(api.authentication.list, {}, options)),
    told(request(api.authorization.sources, {}, options)),
    told(request(api.authorization.settings, {}, options)),
    told(
      Promise.all([
        rulesOf(request(clientRule, { params: { clientid } }, options)),
        username ? rulesOf(request(userRule, { params: { username } }, options)) : [],
        rulesOf(request(allRules, {}, options)),
      ]),
    ),
  ]);
  return {
    // Of a longer list the rest is not known
    bans: bans && !bans.meta.hasnext ? bans.data : null,
    authenticators:
      authenticators?.map(({ id, enable }) => ({ id: String(id), enable: enable !== false })) ?? null,
    sources: sources?.sources ?? null,
    settings,
    rules: rules && { clientid: rules[0], username: rules[1], all: rules[2] },
  };
}

/** Null for what the broker does not tell. */
const told = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
