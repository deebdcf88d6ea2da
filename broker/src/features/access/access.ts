import { type AccessAnswer, AccessQuestion, type AccessReason } from '@mqdeck/contract/access';
import type { AuthzRule } from '@mqdeck/contract/acl/rule';
import { FOREVER } from '@mqdeck/contract/banned';
import * as z from 'zod/mini';
import type { ClientRegistry } from '../../core/core.ts';
import type { AccessRequest, ClientInfo } from '../../core/hooks.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';

type Named = Pick<ClientInfo, 'clientid' | 'username' | 'address'>;
type AuthorizationAnswer = NonNullable<AccessAnswer['authorization']>;

/** What a client would show; as authenticators are asked. */
interface Credentials {
  clientid: string;
  username: string | null;
  password: Uint8Array | null;
  peerhost: string;
  listener: string;
  mountpoint: string | null;
  certCommonName: string | null;
  certSubject: string | null;
  zone: string | undefined;
  clientAttrs: Readonly<Record<string, string>>;
}

type Verdict =
  | {
      result: 'allow';
      why: string;
      isSuperuser: boolean;
      username?: string;
      clientAttrs?: Readonly<Record<string, string>>;
      acl?: readonly AuthzRule[];
    }
  | { result: 'deny' | 'ignore'; why: string };

interface Step {
  type: string;
  verdict: { result: 'allow' | 'deny' | 'nomatch' | 'ignore'; why: string };
  rule: { index: number; line?: number; of?: 'clientid' | 'username' | 'all'; text: string } | null;
}

/** Those who decide when a client really comes, asked in a way that leaves no trace. */
export interface Deciders {
  registry: Pick<ClientRegistry, 'find'>;
  /** Of a listener; undefined when there is no such one. */
  zoneOf(listener: string): string | undefined;
  /** The entry that keeps somebody out, or null; `until` in epoch seconds, null = for ever. */
  findBan(who: Named): { as: string; who: string; reason: string; until: number | null } | null;
  /** Each authenticator that is asked, the last one decides unless it ignores; empty when everybody is let in. */
  authenticate(credentials: Credentials): Promise<{ id: string; verdict: Verdict }[]>;
  /** Every step to the answer, the last one decides. */
  authorize(who: ClientInfo, request: AccessRequest): Promise<Step[]>;
  settings(): Pick<AuthorizationAnswer, 'no_match' | 'deny_action'>;
}

/** What a client may do, by its name alone or as it is connected; leaves no trace. */
export function explainMay(
  deciders: Deciders,
  { clientid, connected, ...request }: AccessRequest & { clientid: string; connected: boolean },
): Promise<AccessAnswer | null> {
  const question = z.parse(AccessQuestion, { clientid, connected });
  return explainAccess(deciders, question, request);
}

/** Null when the client should be connected and is not. */
export async function explainAccess(
  deciders: Deciders,
  question: AccessQuestion,
  request: AccessRequest | null,
): Promise<AccessAnswer | null> {
  const who = whoAsks(deciders, question);
  if (who === null) return null;
  const { authentication, admitted } = await explainLogin(deciders, question, who);
  // An authenticator may have given it another name
  const ban = deciders.findBan(who) ?? deciders.findBan(admitted);
  const banned = ban && {
    as: ban.as,
    who: ban.who,
    reason: ban.reason,
    until: ban.until === null ? FOREVER : rfc3339(ban.until * 1000),
  };
  const isIn = banned === null && authentication.decision !== 'deny';
  const authorization = isIn && request ? await explainRequest(deciders, admitted, request) : null;
  const reason = reasonOf({ banned, authentication, authorization });
  const refused = !isIn || authorization?.decision === 'deny';
  const isKnown = question.connected || authentication.decision === 'allow';
  return {
    client: {
      clientid: who.clientid,
      username: admitted.username,
      peerhost: who.address,
      listener: who.listener,
      connected: question.connected,
    },
    banned,
    authentication,
    superuser: isKnown ? admitted.isSuperuser : null,
    authorization,
    verdict: refused ? 'refused' : 'allowed',
    reason,
  };
}

function whoAsks({ registry, zoneOf }: Deciders, question: AccessQuestion): ClientInfo | null {
  const { clientid, username = null, peerhost, listener, connected } = question;
  if (connected) {
    const client = registry.find(clientid);
    return client?.connected ? client.who : null;
  }
  const zone = zoneOf(listener);
  return {
    clientid,
    username,
    address: peerhost,
    port: 0,
    listener,
    protocolVersion: 5,
    mountpoint: null,
    isSuperuser: false,
    attributes: {},
    authExpiresAt: null,
    ...(zone !== undefined && { zone }),
  };
}

/** Who the client would be after its login; without a password, who it says it is. */
async function explainLogin(
  { authenticate }: Deciders,
  { password }: AccessQuestion,
  who: ClientInfo,
): Promise<{ authentication: AccessAnswer['authentication']; admitted: ClientInfo }> {
  if (password === undefined) return { authentication: { decision: 'not_tried', steps: [] }, admitted: who };
  const said = await authenticate({
    clientid: who.clientid,
    username: who.username,
    password: Buffer.from(password),
    peerhost: who.address,
    listener: who.listener,
    mountpoint: who.mountpoint,
    certCommonName: who.certCommonName ?? null,
    certSubject: who.certSubject ?? null,
    zone: who.zone,
    clientAttrs: who.attributes,
  });
  const steps = said.map(({ id, verdict: { result, why } }) => ({ id, result, why }));
  const last = said.at(-1)?.verdict;
  if (last === undefined) return { authentication: { decision: 'allow', steps }, admitted: who };
  if (last.result !== 'allow') return { authentication: { decision: 'deny', steps }, admitted: who };
  const { acl: _, ...rest } = who; // rules of an earlier login are over
  const admitted: ClientInfo = {
    ...rest,
    username: last.username ?? who.username,
    isSuperuser: last.isSuperuser,
    attributes: { ...who.attributes, ...last.clientAttrs },
    ...(last.acl && { acl: last.acl }),
  };
  return { authentication: { decision: 'allow', steps }, admitted };
}

async function explainRequest(
  { authorize, settings }: Deciders,
  who: ClientInfo,
  request: AccessRequest,
): Promise<AuthorizationAnswer> {
  const said = await authorize(who, request);
  const steps = said.map(({ type, verdict: { result, why }, rule }) => ({
    source: type,
    result,
    why,
    rule: rule && { ...rule },
  }));
  return { decision: steps.at(-1)?.result === 'allow' ? 'allow' : 'deny', steps, ...settings() };
}

/** What stands in a source's place and is the reason itself. */
const SAYS_IT_ALL = ['system_topic', 'superuser', 'no_match', 'undecided'] as const;

function reasonOf({
  banned,
  authentication,
  authorization,
}: Pick<AccessAnswer, 'banned' | 'authentication' | 'authorization'>): AccessReason {
  if (banned) return 'banned';
  const { decision, steps } = authentication;
  if (decision === 'deny') return steps.at(-1)?.result === 'deny' ? 'bad_credentials' : 'nobody_knows';
  if (!authorization) return decision === 'allow' ? 'may_connect' : 'may_connect_untested';
  return SAYS_IT_ALL.find((reason) => reason === authorization.steps.at(-1)?.source) ?? 'rule';
}
