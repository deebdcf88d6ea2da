import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { hasPath, isGone, isTooLong } from './address.ts';
import { type Reading, withReading } from './rates.ts';

export const POLL_MS = 5000;

export interface ClientView {
  /** As last seen; undefined while it loads, and where there never was one. */
  client: Client | undefined;
  /** The broker does not know it (any more). */
  gone: boolean;
  error: ApiError | null;
  loading: boolean;
  fetching: boolean;
  updatedAt: number;
  reload: () => void;
}

/** One client, asked again every five seconds; one that no path can name is found in the list. */
export function useClient(clientid: string, poll: number | undefined): ClientView {
  const byPath = hasPath(clientid);
  const options = { poll, quiet: true, keepPrevious: false } as const;
  const direct = useEndpoint(api.clients.get, { params: { clientid } }, { ...options, enabled: byPath });
  const listed = useEndpoint(
    api.clients.list,
    { query: { clientid: [clientid], limit: 1 } },
    { ...options, enabled: !byPath && clientid !== '' },
  );
  const [seen, setSeen] = useState<Client>();
  const found = byPath
    ? direct.data
    : (listed.data?.data.find((row) => row.clientid === clientid) as Client | undefined);
  const result = byPath ? direct : listed;
  // The list answers "nobody" where the path answers 404; either way what was last seen stays on screen.
  useEffect(() => {
    if (found) setSeen(found);
  }, [found]);
  const client = found ?? (seen?.clientid === clientid ? seen : undefined);
  return {
    client,
    gone: clientid === '' || (byPath ? isGone(direct.error) : listed.isSuccess && found === undefined),
    error: isGone(result.error) ? null : readable(result.error, clientid),
    loading: result.isPending && clientid !== '',
    fetching: result.isFetching,
    updatedAt: result.dataUpdatedAt,
    reload: () => void result.refetch(),
  };
}

/** Of an address that is too long, servers say a bare 414 or hang up. */
function readable(error: ApiError | null, clientid: string): ApiError | null {
  if (error === null || error.code !== '' || !isTooLong(clientid)) return error;
  const { status, timedOut } = error;
  return new ApiError({ status, timedOut, trouble: 'addressTooLong', cause: error });
}

/** What the counters did from poll to poll, the last five minutes of it. */
export function useReadings(client: Client | undefined, at: number): readonly Reading[] {
  const [kept, setKept] = useState<{ clientid: string; readings: readonly Reading[] }>();
  useEffect(() => {
    if (!client) return;
    setKept((before) => ({
      clientid: client.clientid,
      readings: withReading(
        before?.clientid === client.clientid ? before.readings : [],
        client as Parameters<typeof withReading>[1],
        at,
      ),
    }));
  }, [client, at]);
  return kept?.readings ?? [];
}
