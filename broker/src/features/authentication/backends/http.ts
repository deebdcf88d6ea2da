import type { HttpAuthenticator } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { BackendParts } from '../../../backends/backend.ts';
import { openHttp } from '../../../backends/http.ts';
import { fieldsOf, parseRequest } from '../../../backends/http-request.ts';
import { AUTHENTICATION_NAMES } from '../../../backends/placeholders.ts';
import { rulesOfClaim } from '../acl-claim.ts';
import type { Authenticator, Verdict } from '../authenticator.ts';
import { attributesOf } from '../jwt.ts';
import { asking, denied, isTrue } from './asking.ts';

/** A server that is asked about each client. */
export const openHttpAuthenticator = (config: HttpAuthenticator, deps: BackendParts): Authenticator =>
  asking(() => {
    const request = parseRequest(config, AUTHENTICATION_NAMES);
    const backend = openHttp({ ...config, origin: request.origin }, deps);
    return {
      backend,
      ask: async (_, values) => {
        const answer = await backend.request(request.fill(values));
        if (answer.status === 204)
          return { result: 'allow', why: 'the server answers 204', isSuperuser: false };
        if (answer.status !== 200) return ignored(`the server answers with status ${answer.status}`);
        const fields = fieldsOf(answer);
        return fields === null ? ignored('the answer is neither JSON nor a form') : verdictOf(fields);
      },
    };
  });

const ignored = (why: string): Verdict => ({ result: 'ignore', why });

function verdictOf(fields: Readonly<Record<string, unknown>>): Verdict {
  switch (fields.result) {
    case 'allow':
      return allowed(fields);
    case 'deny':
      return denied(ReasonCode.NotAuthorized, 'the server says deny');
    case 'ignore':
      return ignored('the server says ignore');
    default:
      return ignored('the answer has no result allow, deny or ignore');
  }
}

/** What comes with an allow has to be understood, or it might have been a condition. */
function allowed({ is_superuser, client_attrs, expire_at, acl }: Readonly<Record<string, unknown>>): Verdict {
  const expiresAt = expire_at === undefined || expire_at === null ? null : Number(expire_at) * 1000;
  if (expiresAt !== null && !Number.isFinite(expiresAt))
    return denied(ReasonCode.NotAuthorized, 'expire_at in the answer is no moment');
  if (expiresAt !== null && expiresAt <= Date.now())
    return denied(ReasonCode.NotAuthorized, 'the server allows it until a moment that is over');
  const rules = acl === undefined || acl === null ? undefined : rulesOfClaim(acl);
  if (rules === null) return denied(ReasonCode.NotAuthorized, 'the rules in the answer cannot be understood');
  return {
    result: 'allow',
    why: 'the server says allow',
    isSuperuser: isTrue(is_superuser),
    clientAttrs: attributesOf(client_attrs),
    expiresAt: expiresAt === null ? null : Math.min(expiresAt, Number.MAX_SAFE_INTEGER),
    ...(rules && { acl: rules }),
  };
}
