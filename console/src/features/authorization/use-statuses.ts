import { api } from '@mqdeck/contract/api';
import type { AuthorizationSource, SourceStatus } from '@mqdeck/contract/authorization';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { startPoll } from '../../api/poll.ts';
import { keyOf, queryClient } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import type { NodeState } from '../../ui/NodeStates.tsx';
import { type StateName, stateOf } from '../../ui/State.tsx';

/** Each status is a call of its own: that is all the API has. */
const POLL_MS = 5000;

/** The statuses of all sources by type, asked at once and again every few seconds; a list never waits for them. */
export function useStatuses(types: readonly string[]): Readonly<Record<string, SourceStatus>> {
  useEffect(
    () =>
      startPoll(
        () => queryClient.refetchQueries({ queryKey: [...keyOf(api.authorization.status)], type: 'active' }),
        POLL_MS,
      ),
    [],
  );
  return useQueries({
    queries: types.map((type) => ({
      queryKey: [...keyOf(api.authorization.status), { params: { type } }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(api.authorization.status, { params: { type } }, { signal, progress: false, quiet: true }),
    })),
    combine: useCallback(
      (results: readonly { data: SourceStatus | undefined }[]) =>
        Object.fromEntries(types.flatMap((type, i) => (results[i]?.data ? [[type, results[i].data]] : []))),
      [types],
    ),
  });
}

/** A disabled source has closed its connection, whatever the API says of it. */
export const stateFor = (
  { enable }: Pick<AuthorizationSource, 'enable'>,
  status: SourceStatus | undefined,
): StateName | undefined => (enable ? status && stateOf(status.status) : 'disabled');

export function nodesOf({ node_status, node_error }: SourceStatus): NodeState[] {
  const reasons = new Map(node_error.map(({ node, error }) => [node, error]));
  return node_status.map(({ node, status }) => {
    const reason = reasons.get(node);
    return { node, is: stateOf(status), ...(reason ? { reason } : {}) };
  });
}
