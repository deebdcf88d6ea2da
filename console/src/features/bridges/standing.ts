import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { request } from '../../api/request.ts';
import type { NodeState } from '../../ui/NodeStates.tsx';
import { type StateName, stateOf } from '../../ui/State.tsx';

/** What a bridge is called, how it stands, and which rules use it. */

export const idOf = ({ type, name }: Pick<Bridge, 'type' | 'name'>): string => `${type}:${name}`;

export const stateFor = ({ enable, status }: Pick<Bridge, 'enable' | 'status'>): StateName =>
  enable ? stateOf(status) : 'disabled';

export const nodesOf = ({ enable, node_status }: Pick<Bridge, 'enable' | 'node_status'>): NodeState[] =>
  enable
    ? node_status.map(({ node, status, status_reason: reason }) => ({
        node,
        is: stateOf(status),
        ...(reason ? { reason } : {}),
      }))
    : [];

/** Why it is as it is, where somebody said it. */
export const reasonOf = ({ enable, status_reason, node_status }: Bridge): string | undefined =>
  enable ? status_reason || node_status.find((one) => one.status_reason)?.status_reason : undefined;

/** Only what has lost its target, somewhere, can be told to look for it now. */
export const canReconnect = (state: StateName): boolean =>
  state === 'disconnected' || state === 'inconsistent' || state === 'stopped' || state === 'error';

const SOURCE = '$bridges/';

/** The ids of bridges that a rule sends to or reads from; newer brokers call a webhook `http`. */
function bridgesOf({ actions, from }: Pick<Rule, 'actions' | 'from'>): ReadonlySet<string> {
  const targets = actions.flatMap((action) => (typeof action === 'string' ? [action] : []));
  const sources = from.flatMap((one) => (one.startsWith(SOURCE) ? [one.slice(SOURCE.length)] : []));
  return new Set([...targets, ...sources].map((id) => id.replace(/^http:/, 'webhook:')));
}

export const rulesUsing = (rules: readonly Rule[], id: string): Rule[] =>
  rules.filter((rule) => bridgesOf(rule).has(id));

const RULES_PER_PAGE = 1000;

/** All rules: mostly one call. */
export async function readRules(signal?: AbortSignal): Promise<Rule[]> {
  const all: Rule[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await request(
      api.rules.list,
      { query: { page, limit: RULES_PER_PAGE } },
      { quiet: true, progress: false, ...(signal ? { signal } : {}) },
    );
    all.push(...data);
    if (data.length < RULES_PER_PAGE || !meta.hasnext) return all;
  }
}
