import { api } from '@mqdeck/contract/api';
import type { InflightMessage, QueuedMessage } from '@mqdeck/contract/clients';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { keyOf, queryClient } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';

export type WaitingKind = 'queue' | 'inflight';
/** One of either list: what only the other has is not there. */
export type WaitingRow = Partial<QueuedMessage> & Partial<InflightMessage>;

interface WaitingPage {
  data: WaitingRow[];
  meta: { start: string; position: string };
}

const ENDPOINTS = { queue: api.clients.mqueueMessages, inflight: api.clients.inflightMessages } as const;

const PAGE = 200;
const FROM_THE_HEAD = 'none';
const END = 'end_of_data';

/** Where a message stands: the API goes on behind a place, and names none of them itself but the last of a page. */
export const placeOf = ({ inserted_at = '', mqueue_priority }: WaitingRow): string =>
  mqueue_priority === undefined ? inserted_at : `${inserted_at}_${mqueue_priority}`;

/** The place just before another, to ask for that message alone; undefined for what is no place. */
export function placeBefore(place: string): string | undefined {
  const [, inserted, priority = ''] = /^(\d{1,20})(_(?:infinity|-?\d+))?$/.exec(place) ?? [];
  return inserted === undefined ? undefined : `${BigInt(inserted) - 1n}${priority}`;
}

/** Epoch milliseconds of nanoseconds in a text. */
export const momentOf = (inserted_at: string | undefined): number | undefined =>
  inserted_at === undefined || !/^\d{7,20}$/.test(inserted_at) ? undefined : Number(inserted_at.slice(0, -6));

/** A client's messages as they stood when they were asked for, page behind page; `refresh` begins anew. */
export function useWaitingMessages(kind: WaitingKind, clientid: string, enabled: boolean) {
  const endpoint = ENDPOINTS[kind];
  const key = useMemo(() => [...keyOf(endpoint), clientid, 'pages'], [endpoint, clientid]);
  const result = useInfiniteQuery<
    WaitingPage,
    ApiError,
    { pages: WaitingPage[]; pageParams: string[] },
    string[],
    string
  >({
    queryKey: key,
    queryFn: ({ pageParam: position, signal }) =>
      request(
        endpoint,
        { params: { clientid }, query: { limit: PAGE, position, payload: 'none' } },
        { signal, quiet: true },
      ),
    initialPageParam: FROM_THE_HEAD,
    // A page that is not full is the last: without payloads nothing else ends one.
    getNextPageParam: ({ data, meta }) =>
      data.length < PAGE || meta.position === END ? undefined : meta.position,
    enabled,
  });
  const { data, refetch } = result;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const refresh = useCallback(() => {
    // Pages behind the first would be read again one after the other, of a queue that has moved on.
    queryClient.setQueryData<typeof data>(
      key,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    void refetch();
  }, [key, refetch]);
  return { ...result, rows, refresh };
}

/** One message with its payload; gone when it has left meanwhile. */
export async function loadMessage(
  kind: WaitingKind,
  clientid: string,
  place: string,
  signal: AbortSignal,
): Promise<WaitingRow> {
  const position = placeBefore(place);
  if (position === undefined) throw new ApiError({ status: 404, code: 'NOT_FOUND' });
  const { data }: WaitingPage = await request(
    ENDPOINTS[kind],
    { params: { clientid }, query: { limit: 1, position, payload: 'base64' } },
    { signal, quiet: true },
  );
  const [message] = data;
  if (message === undefined || placeOf(message) !== place)
    throw new ApiError({ status: 404, code: 'NOT_FOUND' });
  return message;
}
