import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { FileHandler, HANDLER_NAME, LOG_FILE_HANDLERS_MAX, type LogSettings } from '@mqdeck/contract/log';
import { useState } from 'react';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceInPlace, sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text, Toggle } from '../../form/fields.tsx';
import { Bytes, Count } from '../../form/measure-fields.tsx';
import { useLanguage, useWords, wordsIn } from '../../i18n/words.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { HandlerFields } from './HandlerFields.tsx';
import { LevelMark } from './LevelMark.tsx';
import styles from './log.module.css';
import { words } from './words.ts';

/** A handler and its name; the path is the broker's to judge: others than ours have paths of their own. */
const HandlerForm = z.extend(FileHandler, { name: z.string(), path: z.string() });
type Handler = z.output<typeof HandlerForm>;
type Handlers = LogSettings['file'];

const NO_LIMIT = { value: 'infinity', label: words.endless };

const column = columnsOf<Handler>({ ...words, name: words.handler });
const columns = [
  column.id('name', { width: 140 }),
  column.badge('enable', { states: (on) => (on ? 'enabled' : 'disabled'), width: 110 }),
  column.custom('level', ({ level }) => <LevelMark level={level} />, {
    value: ({ level }) => level,
    width: 120,
  }),
  column.id('path', { width: 180 }),
  column.custom('formatter', ({ formatter }, language) => wordsIn(words, language)[formatter], {
    value: ({ formatter }) => formatter,
    width: 90,
  }),
  column.custom(
    'rotation',
    ({ rotation_count, rotation_size }, language) => {
      const w = wordsIn(words, language);
      if (rotation_size === 'infinity') return w.endless;
      return w.rotationShown({ count: rotation_count, size: String(rotation_size) });
    },
    { value: ({ rotation_count, rotation_size }) => `${rotation_count} × ${rotation_size}`, width: 120 },
  ),
];

const handlersNow = async (): Promise<Handlers> => (await request(api.log.get, {}, { quiet: true })).file;

/** All handlers are sent, as they are now: nobody's other handler is undone. Null when the one edited is gone. */
async function withHandler(
  edited: string | undefined,
  { name, ...handler }: Handler,
): Promise<object | null> {
  const now = await handlersNow();
  if (edited !== undefined && !Object.hasOwn(now, edited)) return null;
  return { file: { ...now, [edited ?? name]: { ...now[edited ?? name], ...handler } } };
}

/** Changes one handler; false when it is gone or the broker refused, which a toast says. */
async function changeHandler(
  name: string,
  change: (now: Handlers) => Handlers,
  gone: string,
): Promise<boolean> {
  try {
    const now = await handlersNow();
    if (!Object.hasOwn(now, name)) {
      toast('info', gone);
      return false;
    }
    await request(api.log.update, { body: { file: change(now) } }, { quiet: true });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast('bad', sentenceOf(error));
    return false;
  } finally {
    await refresh([api.log.get, api.log.files]);
  }
}

export function FileHandlers() {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.log.get, {}, { quiet: true });
  const [open, setOpen] = useState<'new' | string>();
  const handlers =
    data && Object.entries(data.file).map(([name, handler]) => ({ ...handler, name }) as Handler);
  const full = (handlers?.length ?? 0) >= LOG_FILE_HANDLERS_MAX;

  const remove = async (name: string) => {
    const ask = { title: w.removeAsk({ name }), text: w.removeText, action: w.remove };
    if (!(await confirm(ask))) return;
    const without = (now: Handlers) =>
      Object.fromEntries(Object.entries(now).filter(([other]) => other !== name));
    if (await changeHandler(name, without, w.goneAlready)) toast('good', w.handlerRemoved);
  };
  const turn = async (name: string, enable: boolean) => {
    const changed = (now: Handlers) => ({ ...now, [name]: { ...now[name]!, enable } });
    if (await changeHandler(name, changed, w.goneAlready))
      toast('good', enable ? w.handlerEnabled : w.handlerDisabled);
  };
  const actions = ({ name, enable }: Handler): RowAction[] => [
    { label: w.edit, run: () => setOpen(name) },
    { label: enable ? w.disableAction : w.enableAction, run: () => turn(name, !enable) },
    { label: w.remove, danger: true, run: () => remove(name) },
  ];
  const edited = handlers?.find(({ name }) => name === open);
  return (
    <section className={styles.part}>
      <div className={styles.head}>
        <div>
          <h2 className={styles.title}>{w.handlers}</h2>
          <p className={styles.purpose}>{w.handlersText}</p>
        </div>
        <Button
          size="xs"
          onClick={() => setOpen('new')}
          disabled={full || !handlers}
          title={full ? w.fullHandlers : undefined}
        >
          {w.addHandler}
        </Button>
      </div>
      <LocalTable
        rows={handlers}
        columns={columns}
        rowId={({ name }) => name}
        actions={actions}
        onOpen={({ name }) => setOpen(name)}
        empty={w.noHandlers}
        label={w.handlers}
        name="log-handlers"
        prefix="handlers"
        error={error ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
      />
      <HandlerDrawer
        key={open}
        edited={open === 'new' ? undefined : edited}
        opened={open === 'new' || edited !== undefined}
        taken={handlers?.map(({ name }) => name) ?? []}
        onClose={() => setOpen(undefined)}
      />
    </section>
  );
}

function HandlerDrawer({
  edited,
  opened,
  taken,
  onClose,
}: {
  edited: Handler | undefined;
  opened: boolean;
  taken: readonly string[];
  onClose: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const fresh = { ...z.parse(FileHandler, {}), enable: true, name: '', path: '' };
  return (
    <FormDrawer
      title={edited ? w.editHandler({ name: edited.name }) : w.addHandler}
      opened={opened}
      onClose={onClose}
      endpoint={api.log.update}
      list={{ item: HandlerForm, with: (item) => withHandler(edited?.name, item as Handler) }}
      initial={edited ?? fresh}
      words={words}
      submitLabel={edited ? w.save : w.addHandler}
      refresh={[api.log.get, api.log.files]}
      onDone={() => toast('good', edited ? w.handlerSaved : w.handlerAdded)}
    >
      {!edited && (
        <Text
          name="name"
          mono
          required
          placeholder="audit"
          check={(value) => {
            if (!HANDLER_NAME.test(String(value))) return w.nameWrong;
            return taken.includes(String(value)) ? w.nameTaken : null;
          }}
        />
      )}
      <Toggle name="enable" />
      <Text name="path" mono required placeholder="audit.log" />
      <HandlerFields />
      <Bytes name="rotation_size" special={NO_LIMIT} min="1KB" required />
      <Count name="rotation_count" unit={wordsIn(words, language).files} required />
    </FormDrawer>
  );
}
