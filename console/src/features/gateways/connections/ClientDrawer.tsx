import { Button, Drawer } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { GatewayClient, GatewayName } from '@mqdeck/contract/gateways';
import { lazy, Suspense, useEffect, useState } from 'react';
import { sentenceInPlace } from '../../../api/report.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { useWords } from '../../../i18n/words.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { ErrorState } from '../../../ui/ErrorState.tsx';
import { IconKick } from '../../../ui/icons.tsx';
import { SkeletonFacts } from '../../../ui/Skeleton.tsx';
import { State } from '../../../ui/State.tsx';
import { shortText } from '../../../ui/short-text.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from '../gateways.module.css';
import { ClientFacts } from './ClientFacts.tsx';
import { ClientSubscriptions } from './ClientSubscriptions.tsx';
import { useKickOut } from './use-kick-out.ts';
import { connectionWords } from './words.ts';

const POLL_MS = 5000;

/** Not every protocol has them. */
const CoapRequest = lazy(async () => ({ default: (await import('./CoapRequest.tsx')).CoapRequest }));
const DeviceObjects = lazy(async () => ({ default: (await import('./DeviceObjects.tsx')).DeviceObjects }));

/** All about one device, over the list it was found in. */
export function ClientDrawer({
  name,
  clientid,
  onClose,
}: {
  name: GatewayName;
  clientid: string;
  onClose: () => void;
}) {
  const w = useWords(connectionWords);
  const { data, error, refetch } = useEndpoint(
    api.gateways.client,
    { params: { name, clientid } },
    { quiet: true, keepPrevious: false, poll: POLL_MS },
  );
  const gone = error?.status === 404 && !error.absent;
  // As last seen, for who still reads about one that has just left.
  const [seen, setSeen] = useState<GatewayClient>();
  useEffect(() => {
    if (data) setSeen(data);
  }, [data]);
  const client = data ?? seen;
  const kickOut = useKickOut(name);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={w.device({ clientid: visibleText(shortText(clientid)) })}
      position="right"
      size="90%"
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {client ? (
        <div className={styles.device}>
          <div className={styles.deviceHead}>
            <State is={client.connected && !gone ? 'connected' : 'disconnected'} />
            {gone && <span className={styles.text}>{w.goneText}</span>}
            <Button
              color="red"
              leftSection={<IconKick size={15} />}
              disabled={gone}
              onClick={() => void kickOut(clientid).then((done) => done && onClose())}
            >
              {w.kickOut}
            </Button>
          </div>
          <ClientFacts client={client} />
          <ClientSubscriptions name={name} client={client} gone={gone} poll={POLL_MS} />
          {!gone && (
            <Suspense fallback={null}>
              {name === 'lwm2m' && <DeviceObjects clientid={clientid} objects={client.object_list} />}
              {name === 'coap' && <CoapRequest clientid={clientid} />}
            </Suspense>
          )}
        </div>
      ) : gone ? (
        <EmptyState title={w.gone({ clientid: visibleText(shortText(clientid)) })} text={w.goneText} />
      ) : error ? (
        <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={refetch} />
      ) : (
        <SkeletonFacts />
      )}
    </Drawer>
  );
}
