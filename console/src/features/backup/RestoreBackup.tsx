import { Button, Modal, PasswordInput } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { type BackupFile, type BackupPreview, isEncryptedBackup } from '@mqdeck/contract/data';
import { faultsOf } from '@mqdeck/contract/kit/faults';
import { type FormEvent, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { sentenceOf } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Facts } from '../../ui/Facts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonBlock } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './backup.module.css';
import { words } from './words.ts';

/** Shows what an import will change, as far as the broker can tell, and does it. */
export function RestoreBackup({ file, onClose }: { file: BackupFile; onClose: () => void }) {
  const w = useWords(words);
  const { filename, node } = file;
  const name = visibleText(filename);
  const canPreview = useAvailable(api.data.preview);
  const isEncrypted = isEncryptedBackup(filename);
  const [passphrase, setPassphrase] = useState<string>();
  const body = { filename, node, ...(passphrase !== undefined && { passphrase }) };
  const { data, error, refetch } = useEndpoint(
    api.data.preview,
    { body },
    { quiet: true, enabled: canPreview && (!isEncrypted || passphrase !== undefined), keepPrevious: false },
  );
  const restore = useAction(api.data.import, {
    refresh: [api.data.files],
    success: w.restored({ name }),
    handles: [0, 400],
  });

  async function run() {
    const outcome = await restore({ body });
    if (outcome.done) return onClose();
    const { error: refused } = outcome;
    if (refused?.timedOut) {
      toast('info', w.restoreSlow);
      onClose();
    } else if (refused?.status === 0 || refused?.status === 400)
      toast('bad', w.importFailed({ reason: sentenceOf(refused) }));
  }

  const isWrong = error !== null && faultsOf(error.message).some(({ path }) => path === 'root.passphrase');
  const isAsked = isEncrypted && !data && (passphrase === undefined || isWrong);
  const unreadable = canPreview && error !== null && !error.absent;
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.restoreTitle({ name })}
      size={600}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <div className={styles.restore}>
        <p>{w.restoreWhat}</p>
        <p>{w.restoreSignOut}</p>
        {!canPreview ? (
          <p className={styles.note}>{w.noPreview}</p>
        ) : isAsked ? (
          <Passphrase isWrong={isWrong} onEnter={setPassphrase} />
        ) : unreadable ? (
          <QueryFailed error={error} retry={refetch} />
        ) : data ? (
          <Preview preview={data} />
        ) : (
          <>
            <p role="status">{w.reading}</p>
            <SkeletonBlock height={120} />
          </>
        )}
      </div>
      <div className={styles.buttons}>
        <Button data-autofocus={!isAsked || undefined} onClick={onClose}>
          {w.cancel}
        </Button>
        <Button
          variant="filled"
          color="red"
          loading={restore.pending}
          disabled={canPreview && !data}
          onClick={() => void run()}
        >
          {w.restore}
        </Button>
      </div>
    </Modal>
  );
}

function Passphrase({ isWrong, onEnter }: { isWrong: boolean; onEnter: (passphrase: string) => void }) {
  const w = useWords(words);
  const enter = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onEnter(String(new FormData(event.currentTarget).get('passphrase') ?? ''));
  };
  return (
    <form className={styles.restore} noValidate onSubmit={enter}>
      <PasswordInput
        data-autofocus
        name="passphrase"
        label={w.passphrase}
        description={isWrong ? undefined : w.passphraseNeeded}
        size="sm"
        autoComplete="off"
        error={isWrong && w.passphraseWrong}
        aria-invalid={isWrong || undefined}
        visibilityToggleButtonProps={{ 'aria-label': w.show }}
      />
      <div>
        <Button type="submit" variant="filled">
          {w.readBackup}
        </Button>
      </div>
    </form>
  );
}

function Preview({ preview }: { preview: BackupPreview }) {
  const w = useWords(words);
  const language = useLanguage();
  const { version, node, created_at, settings, kinds } = preview;
  const changes = settings.length > 0 || kinds.some(({ added, changed }) => added + changed > 0);
  return (
    <>
      <Facts
        columnWidth={150}
        facts={[
          { label: w.madeBy, value: visibleText(version) },
          { label: w.madeAt, value: <RelativeTime at={created_at} /> },
          { label: w.madeOn, value: visibleText(node) },
        ]}
      />
      <h3 className={styles.heading}>{w.changes}</h3>
      {!changes && <p>{w.nothing}</p>}
      {kinds.length > 0 && (
        <table className={styles.kinds}>
          <thead>
            <tr>
              <th scope="col">{w.kind}</th>
              <th scope="col">{w.added}</th>
              <th scope="col">{w.changed}</th>
              <th scope="col">{w.unchanged}</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(({ kind, added, changed, unchanged }) => (
              <tr key={kind}>
                <th scope="row">{kindName(w, kind)}</th>
                {[added, changed, unchanged].map((count, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: three columns, always the same
                  <td key={i} data-none={count === 0 || undefined}>
                    {formatNumber(count, language)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h3 className={styles.heading}>{w.settings}</h3>
      {settings.length === 0 ? (
        <p>{w.allSettingsSame}</p>
      ) : (
        <dl className={styles.settings}>
          {settings.map(({ section, keys }) => (
            <div key={section}>
              <dt>{visibleText(section)}</dt>
              <dd>{keys.map((key) => visibleText(key)).join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** A later broker may have kinds that this console knows no word for. */
function kindName(w: Readonly<Record<string, unknown>>, kind: string): string {
  const word = w[kind];
  return typeof word === 'string' ? word : visibleText(kind);
}
