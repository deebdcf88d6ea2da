import type { Authenticator, AuthenticatorStatus } from '@mqdeck/contract/authentication';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { startPoll } from '../../api/poll.ts';
import { keyOf, refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import type { NodeState } from '../../ui/NodeStates.tsx';
import { type StateName, stateOf } from '../../ui/State.tsx';
import { useChain } from './chain.ts';

/** Each status is a call of its own: that is all the API has. */
const POLL_MS = 5000;

/** The statuses of all authenticators by id, asked at once and again every few seconds; a list never waits for them. */
export function useStatuses(ids: readonly string[]): Readonly<Record<string, AuthenticatorStatus>> {
  const { status } = useChain().endpoints;
  useEffect(() => startPoll(() => refresh([status]), POLL_MS), [status]);
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: [...keyOf(status), { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(status, { params: { id } }, { signal, progress: false, quiet: true }),
    })),
    combine: useCallback(
      (results: { data?: AuthenticatorStatus | undefined }[]) =>
        Object.fromEntries(
          ids.flatMap((id, i) => (results[i]?.data ? [[id, results[i].data] as const] : [])),
        ),
      [ids],
    ),
  });
}

/** A disabled authenticator has closed its connection, whatever the API says of it. */
export const stateFor = (
  { enable }: Pick<Authenticator, 'enable'>,
  status: AuthenticatorStatus | undefined,
): StateName | undefined => (enable ? status && stateOf(status.status) : 'disabled');

export function nodesOf({ node_status, node_error }: AuthenticatorStatus): NodeState[] {
  const reasons = new Map(node_error.map(({ node, error }) => [node, error]));
  return node_status.map(({ node, status }) => {
    const reason = reasons.get(node);
    return { node, is: stateOf(status), ...(reason ? { reason } : {}) };
  });
}
