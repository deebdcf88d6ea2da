import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { isPluginId, PLUGIN_EXTENSION, PLUGIN_UPLOAD_BYTES_MAX, pluginName } from '@mqdeck/contract/plugins';
import { type DragEvent, useId, useRef, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { getConsoleInfo } from '../../api/console-info.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOfDeed } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useUpload } from '../../api/use-upload.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { Copyable } from '../../ui/Copyable.tsx';
import { confirm } from '../../ui/confirm.ts';
import { formatBytes } from '../../ui/format.ts';
import { IconUpload } from '../../ui/icons.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { UploadProgress } from '../../ui/UploadProgress.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { installWords as words } from './install-words.ts';
import { idOfPlugin } from './plugin-state.ts';
import styles from './plugins.module.css';

/** What stands in the way: a sentence, or something to do about it. */
type Fault =
  | { kind: 'text'; text: string }
  | { kind: 'forbidden'; id: string }
  | { kind: 'same'; id: string }
  | { kind: 'other'; id: string; next: string; replaceable: boolean };

const idOfFile = ({ name }: File): string => name.slice(0, -PLUGIN_EXTENSION.length);

export function PluginInstallPage() {
  const w = useWords(words);
  const language = useLanguage();
  const id = useId();
  const [file, setFile] = useState<File>();
  const [fault, setFault] = useState<Fault>();
  const [over, setOver] = useState(false);
  const { send, sent, cancel } = useUpload(api.plugins.install);
  const sending = sent !== undefined;
  const input = useRef<HTMLInputElement>(null);
  const size = formatBytes(PLUGIN_UPLOAD_BYTES_MAX, language);

  function wrongWith({ name, size: bytes }: File): string | undefined {
    if (!name.endsWith(PLUGIN_EXTENSION)) return w.extension;
    if (!isPluginId(name.slice(0, -PLUGIN_EXTENSION.length))) return w.naming;
    return bytes > PLUGIN_UPLOAD_BYTES_MAX ? w.tooLarge({ size }) : undefined;
  }

  function choose(files: FileList | null) {
    const chosen = files?.[0];
    if (!chosen || sending) return;
    const wrong = files.length > 1 ? w.oneFile : wrongWith(chosen);
    setFile(wrong === undefined ? chosen : undefined);
    setFault(wrong === undefined ? undefined : { kind: 'text', text: wrong });
  }

  async function install(replace = false): Promise<void> {
    if (!file) {
      setFault({ kind: 'text', text: w.nothing });
      return;
    }
    const body = new FormData();
    body.append('plugin', file);
    setFault(undefined);
    const outcome = await send({ query: replace ? { replace: 'true' as const } : {}, body });
    if (outcome.done) {
      await refresh([api.plugins.list]);
      toast('good', w.installed({ name: visibleText(idOfFile(file)) }));
      navigate(paths.plugin(idOfFile(file)));
    } else if (outcome.error) setFault(await faultOf(outcome.error, file));
  }

  async function faultOf(error: ApiError, { name }: File): Promise<Fault> {
    const next = name.slice(0, -PLUGIN_EXTENSION.length);
    if (error.status === 403) return { kind: 'forbidden', id: next };
    if (error.code === 'ALREADY_INSTALLED') {
      const all = await request(api.plugins.list, {}, { quiet: true }).catch(() => []);
      const other = all.find((plugin) => plugin.name === pluginName(next));
      if (other && idOfPlugin(other) === next) return { kind: 'same', id: next };
      const replaceable = (await getConsoleInfo())?.mode === 'embedded';
      if (other) return { kind: 'other', id: idOfPlugin(other), next, replaceable };
    }
    const reason = visibleText(error.message);
    return {
      kind: 'text',
      text:
        error.code === 'BAD_PLUGIN_INFO'
          ? w.badPackage({ reason })
          : w.failed({ reason: sentenceOfDeed(error) }),
    };
  }

  async function replace({ id: before, next }: { id: string; next: string }): Promise<void> {
    const yes = await confirm({
      title: w.replaceAsk({ name: visibleText(before), next: visibleText(next) }),
      text: w.replaceText,
      action: w.replace,
      danger: true,
    });
    if (yes) await install(true);
  }

  const drag = (event: DragEvent, isOver: boolean) => {
    event.preventDefault();
    setOver(isOver);
  };
  return (
    <Page title={w.title} purpose={w.purpose}>
      <Panel>
        <div className={styles.install}>
          <Notice is="warn">
            <strong>{w.danger}</strong> {w.dangerText}
          </Notice>
          <label
            className={styles.zone}
            htmlFor={id}
            data-over={over || undefined}
            onDragEnter={(event) => drag(event, true)}
            onDragOver={(event) => drag(event, true)}
            onDragLeave={(event) => drag(event, false)}
            onDrop={(event) => {
              drag(event, false);
              choose(event.dataTransfer.files);
            }}
          >
            <IconUpload size={24} />
            {file ? (
              <>
                <strong>
                  {w.chosen({ name: visibleText(file.name), size: formatBytes(file.size, language) })}
                </strong>
                <span className={styles.hint}>{w.other}</span>
              </>
            ) : (
              <>
                <strong>{over ? w.dropNow : w.drop}</strong>
                <span className={styles.hint}>{w.kind({ size })}</span>
              </>
            )}
            <input
              ref={input}
              id={id}
              type="file"
              accept=".gz,application/gzip"
              className="visually-hidden"
              disabled={sending}
              onChange={(event) => {
                choose(event.currentTarget.files);
                event.currentTarget.value = '';
              }}
            />
          </label>
          {fault && (
            <div className={styles.fault} role="alert">
              <FaultText fault={fault} />
              {fault.kind === 'other' && fault.replaceable && (
                <Button color="red" onClick={() => void replace(fault)}>
                  {w.replace}
                </Button>
              )}
            </div>
          )}
          {sent && file && (
            <UploadProgress
              {...sent}
              name={visibleText(file.name)}
              then={w.installing({ name: visibleText(file.name) })}
              onCancel={cancel}
            />
          )}
          <Button variant="filled" loading={sending} onClick={() => void install()}>
            {w.install}
          </Button>
        </div>
      </Panel>
    </Page>
  );
}

function FaultText({ fault }: { fault: Fault }) {
  const w = useWords(words);
  if (fault.kind === 'text') return <p>{fault.text}</p>;
  const name = visibleText(fault.id);
  if (fault.kind === 'forbidden')
    return (
      <>
        <p>
          {w.forbidden} {w.forbiddenText}
        </p>
        <Copyable text={`emqx ctl plugins allow ${fault.id}`} />
      </>
    );
  return (
    <p>
      {fault.kind === 'same' ? w.same({ name }) : w.otherVersion({ name })}{' '}
      {fault.kind === 'other' && !fault.replaceable && `${w.uninstallFirst} `}
      <Link to={paths.plugin(fault.id)}>{w.open({ name })}</Link>
    </p>
  );
}
