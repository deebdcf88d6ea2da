import { Button, Checkbox, Modal } from '@mantine/core';
import type { NewApiKey } from '@mqdeck/contract/api-keys';
import { useState } from 'react';
import { basePath } from '../../base.ts';
import { useUnsavedGuard } from '../../form/form-host.tsx';
import { useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../ui/Copyable.tsx';
import { IconWarn } from '../../ui/icons.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './api-keys.module.css';
import { words } from './words.ts';

/** Key and secret right after creation, the only time; nothing but the word of the operator closes it. */
export function NewSecret({ made, onStored }: { made: NewApiKey; onStored: () => void }) {
  const w = useWords(words);
  const [stored, setStored] = useState(false);
  useUnsavedGuard(!stored);
  const { api_key, api_secret } = made;
  const pairs = [
    [w.api_key, api_key],
    [w.secret, api_secret],
    [w.tryIt, `curl -u ${api_key}:${api_secret} ${location.origin}${basePath()}api/v5/nodes`],
  ] as const;
  return (
    <Modal
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={w.secretTitle({ name: visibleText(made.name) })}
      size={560}
    >
      <p className={styles.warning}>
        <IconWarn size={16} />
        <span>{w.secretOnce}</span>
      </p>
      <dl className={styles.pairs}>
        {pairs.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <code>{visibleText(text)}</code>
              <CopyButton text={text} label={w.copyOf({ what: label })} />
            </dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={w.stored}
        checked={stored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <div className={styles.buttons}>
        <Button
          variant="filled"
          disabled={!stored}
          title={stored ? undefined : w.storeFirst}
          onClick={onStored}
        >
          {w.done}
        </Button>
      </div>
    </Modal>
  );
}
