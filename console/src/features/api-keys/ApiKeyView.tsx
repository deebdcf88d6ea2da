import { Button, Drawer } from '@mantine/core';
import type { ApiKey } from '@mqdeck/contract/api-keys';
import { useWords } from '../../i18n/words.ts';
import { Copyable } from '../../ui/Copyable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ApiKeyState, ExpiresAt } from './ApiKeyState.tsx';
import styles from './api-keys.module.css';
import { words } from './words.ts';

/** A key to look at; undefined = the address names one that is not there any more. */
export function ApiKeyView({
  name,
  apiKey,
  onClose,
  onEdit,
}: {
  name: string;
  apiKey: ApiKey | undefined;
  onClose: () => void;
  onEdit: (apiKey: ApiKey) => void;
}) {
  const w = useWords(words);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={visibleText(name)}
      position="right"
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {apiKey ? (
        <>
          <Facts
            facts={[
              { label: w.api_key, value: <Copyable text={apiKey.api_key} /> },
              { label: w.state, value: <ApiKeyState of={apiKey} /> },
              { label: w.expired_at, value: <ExpiresAt of={apiKey} whole /> },
              { label: w.created_at, value: <AbsoluteTime at={apiKey.created_at} /> },
              { label: w.desc, value: <bdi>{visibleText(apiKey.desc)}</bdi> },
            ]}
          />
          <p className={styles.note}>{w.secretGone}</p>
          <div className={styles.buttons}>
            <Button onClick={() => onEdit(apiKey)}>{w.edit}</Button>
          </div>
        </>
      ) : (
        <EmptyState title={w.gone({ name: visibleText(name) })} />
      )}
    </Drawer>
  );
}
