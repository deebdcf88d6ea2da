import { Popover } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { useState } from 'react';
import { ContractForm } from '../../form/ContractForm.tsx';
import { NumberField } from '../../form/fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { IconEdit } from '../../ui/icons.tsx';
import { toast } from '../../ui/toast.ts';
import { hasPath } from './address.ts';
import { Seconds } from './client-columns.tsx';
import styles from './client-page.module.css';
import { words } from './words.ts';

/** The keepalive, and the way to change it while the client is connected. */
export function KeepaliveFact({ client, gone }: { client: Client; gone: boolean }) {
  const w = useWords(words);
  const [opened, setOpened] = useState(false);
  const { clientid, keepalive, connected } = client;
  const refused = !connected || gone ? w.notConnected : hasPath(clientid) ? undefined : w.notByPath;
  return (
    <span className={styles.named}>
      <Seconds value={keepalive} zero="off" />{' '}
      <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus width={300}>
        <Popover.Target>
          <button
            type="button"
            className={styles.edit}
            aria-label={w.keepaliveEdit}
            aria-disabled={refused ? true : undefined}
            title={refused ?? w.keepaliveEdit}
            onClick={() => {
              if (!refused) setOpened(!opened);
            }}
          >
            <IconEdit size={14} />
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={w.keepaliveEdit}>
          <ContractForm
            endpoint={api.clients.keepalive}
            params={{ clientid }}
            initial={{ interval: keepalive }}
            words={words}
            refresh={[api.clients.get]}
            onUnsaved={ignore}
            onCancel={() => setOpened(false)}
            onDone={() => {
              setOpened(false);
              toast('good', w.keepaliveSaved);
            }}
          >
            <NumberField name="interval" unit={w.seconds} hint={w.keepaliveHint} required />
          </ContractForm>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}

/** One number typed is not worth a question on the way out. */
const ignore = () => undefined;
