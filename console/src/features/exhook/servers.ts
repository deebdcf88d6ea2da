import type { ExhookDetail, ExhookServer, ExhookStatus } from '@mqdeck/contract/exhooks';
import type { NodeState } from '../../ui/NodeStates.tsx';
import type { StateName } from '../../ui/State.tsx';

/** What a server is configured with, apart from how it does. */
const CONFIG = [
  'name',
  'enable',
  'url',
  'pool_size',
  'request_timeout',
  'failed_action',
  'auto_reconnect',
  'ssl',
  'socket_options',
] as const satisfies readonly (keyof ExhookServer)[];

export const configOf = (detail: ExhookDetail): ExhookServer =>
  Object.fromEntries(CONFIG.map((key) => [key, detail[key]])) as unknown as ExhookServer;

const STATES: Record<ExhookStatus, StateName> = {
  connected: 'connected',
  connecting: 'connecting',
  disconnected: 'stopped',
  disabled: 'disabled',
  error: 'error',
};
/** The API calls it connecting for ever; that there is a reason tells that an attempt has failed already. */
const stateOf = (status: string, reason: string | undefined): StateName =>
  status === 'connecting' && reason ? 'retrying' : (STATES[status as ExhookStatus] ?? 'inconsistent');

const BEST_FIRST: readonly StateName[] = [
  'connected',
  'disabled',
  'connecting',
  'inconsistent',
  'retrying',
  'stopped',
  'error',
];

export const nodesOf = ({ node_status }: Pick<ExhookDetail, 'node_status'>): NodeState[] =>
  node_status.map(({ node, status, status_reason: reason }) => ({
    node,
    is: stateOf(status, reason),
    ...(reason ? { reason } : {}),
  }));

/** The worst of all nodes: one that is well hides no other. Undefined where no node is named. */
export function worstOf(detail: Pick<ExhookDetail, 'enable' | 'node_status'>): StateName | undefined {
  if (!detail.enable) return 'disabled';
  const places = nodesOf(detail).map(({ is }) => BEST_FIRST.indexOf(is));
  return places.length === 0 ? undefined : BEST_FIRST[Math.max(...places)];
}

/** Hooks that ask for an opinion; at the others a server is only told. */
export const DECIDING: ReadonlySet<string> = new Set([
  'client.authenticate',
  'client.authorize',
  'message.publish',
]);

/** The form has a switch where the API has a word. */
export const valuesFrom = (detail: ExhookDetail) => {
  const { auto_reconnect, ...config } = configOf(detail);
  return {
    ...config,
    reconnect: auto_reconnect !== false,
    auto_reconnect: auto_reconnect === false ? USUAL_PAUSE : auto_reconnect,
  };
};

export const bodyFrom = ({ reconnect, ...values }: Record<string, unknown>) =>
  reconnect === false ? { ...values, auto_reconnect: false } : values;

const USUAL_PAUSE = '60s';
export const NEW_SERVER = {
  name: '',
  url: '',
  enable: false,
  pool_size: 16,
  request_timeout: '5s',
  failed_action: 'deny',
  reconnect: true,
  auto_reconnect: USUAL_PAUSE,
};
