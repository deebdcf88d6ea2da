import type { AccessAnswer, AccessReason, AccessRule } from '@mqdeck/contract/access';

/** Why something cannot be told from here, in front of a broker that does not explain itself. */
export type NotKnown = 'password' | 'elsewhere' | 'unreadable' | 'not_listed';

export type StepResult = 'allow' | 'deny' | 'pass' | 'failed' | 'unknown';

export interface Step {
  kind: 'ban' | 'authenticator' | 'source';
  /** An entry of the blacklist, an authenticator's id, a source's type, or what stands in its place. */
  name: string;
  result: StepResult;
  /** The broker's own words. */
  why: string | null;
  notKnown: NotKnown | null;
  rule: AccessRule | null;
  decides: boolean;
}

export interface Part {
  part: 'blacklist' | 'authentication' | 'authorization';
  /** `not_tried`: no password was given; `not_reached`: something before it refuses; `not_asked`: no topic was given. */
  state: 'done' | 'not_tried' | 'not_reached' | 'not_asked';
  steps: readonly Step[];
}

export interface AccessView {
  verdict: 'allowed' | 'refused' | 'unknown';
  reason: AccessReason | 'unknown';
  client: { clientid: string; username: string | null; peerhost: string; listener: string };
  connected: boolean;
  superuser: boolean | null;
  /** What happens to a publish or subscribe that is refused. */
  denyAction: 'ignore' | 'disconnect' | null;
  parts: readonly Part[];
  /** Worked out here from what the broker tells, not by the broker itself. */
  computed: boolean;
}

export const step = (
  kind: Step['kind'],
  name: string,
  result: StepResult,
  more: Partial<Step> = {},
): Step => ({
  kind,
  name,
  result,
  why: null,
  notKnown: null,
  rule: null,
  decides: false,
  ...more,
});

export const NO_BAN = 'no_ban';
/** In place of an authenticator: none is enabled. */
export const NO_AUTHENTICATOR = 'no_authenticator';

/** What stands in a source's place has words of its own here. */
const SAYS_IT_ALL: ReadonlySet<string> = new Set(['system_topic', 'superuser', 'no_match', 'undecided']);
const SAID = { allow: 'allow', deny: 'deny', nomatch: 'pass' } as const;

/** What the broker said, as it is shown. */
export function viewOf(answer: AccessAnswer, topic: string | undefined): AccessView {
  const { banned, authentication, authorization, superuser, verdict, reason } = answer;
  const { connected, ...client } = answer.client;
  const lastAuthenticator = authentication.steps.at(-1);
  const isOut = banned !== null || authentication.decision === 'deny';
  return {
    verdict,
    reason,
    client,
    connected,
    superuser,
    denyAction: authorization?.deny_action ?? null,
    computed: false,
    parts: [
      {
        part: 'blacklist',
        state: 'done',
        steps: [
          banned
            ? step('ban', `${banned.as}: ${banned.who}`, 'deny', { why: banned.reason, decides: true })
            : step('ban', NO_BAN, 'pass'),
        ],
      },
      {
        part: 'authentication',
        state: authentication.decision === 'not_tried' ? 'not_tried' : 'done',
        steps:
          authentication.decision === 'allow' && !lastAuthenticator
            ? [step('authenticator', NO_AUTHENTICATOR, 'allow')]
            : authentication.steps.map((said) =>
                step('authenticator', said.id, said.result === 'ignore' ? 'pass' : said.result, {
                  why: said.why,
                  decides: said === lastAuthenticator && said.result !== 'ignore',
                }),
              ),
      },
      {
        part: 'authorization',
        state: authorization
          ? 'done'
          : isOut
            ? 'not_reached'
            : topic === undefined
              ? 'not_asked'
              : 'not_reached',
        steps:
          authorization?.steps.map((said, i, all) =>
            step('source', said.source, said.result === 'ignore' ? 'failed' : SAID[said.result], {
              why: SAYS_IT_ALL.has(said.source) || said.rule || said.result === 'nomatch' ? null : said.why,
              rule: said.rule,
              decides: i === all.length - 1,
            }),
          ) ?? [],
      },
    ],
  };
}
