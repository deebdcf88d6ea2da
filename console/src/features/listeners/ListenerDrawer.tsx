import { Drawer } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { LISTENER_NAME, type Listener, ListenerConfig } from '@mqdeck/contract/listeners';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import { listeningFault } from '../../form/listening/faults.ts';
import { useWords, type Words } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { confirm } from '../../ui/confirm.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { createListener, updateListener } from './endpoints.ts';
import { formWords } from './form-words.ts';
import { ListenerFacts } from './ListenerFacts.tsx';
import { ListenerFields } from './ListenerFields.tsx';
import { TypeChoice } from './TypeChoice.tsx';
import { CHANGED, connectionsNow } from './use-deeds.ts';
import { bodyFrom, copyOf, newBodyFrom, newListener, typeFrom, type Values, valuesOf } from './values.ts';
import { words } from './words.ts';

type Asked = string | readonly string[] | undefined;
const one = (asked: Asked): string | undefined => (typeof asked === 'string' ? asked : undefined);

/** The form that the address asks for: a new listener, one like another, or one to change. */
export function ListenerDrawer({
  add,
  copy,
  open,
  onClose,
}: {
  add: Asked;
  copy: Asked;
  open: Asked;
  onClose: () => void;
}) {
  const w = useWords(words);
  const id = one(open) ?? one(copy);
  if (id !== undefined)
    return (
      <Loaded
        key={id}
        id={id}
        title={(one(open) ? w.editTitle : w.copyTitle)({ id: visibleText(id) })}
        onClose={onClose}
      >
        {(listener) =>
          one(open) ? (
            <EditListener listener={listener} onClose={onClose} />
          ) : (
            <NewListener title={w.copyTitle({ id })} initial={copyOf(listener)} onClose={onClose} />
          )
        }
      </Loaded>
    );
  if (one(add) === undefined) return null;
  return <NewListener title={w.add} initial={newListener(typeFrom(add))} onClose={onClose} />;
}

function Loaded({
  id,
  title,
  onClose,
  children,
}: {
  id: string;
  title: string;
  onClose: () => void;
  children: (listener: Listener) => ReactNode;
}) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(
    api.listeners.get,
    { params: { id } },
    { quiet: true, keepPrevious: false },
  );
  // What the form began with stays under it; what others change meanwhile it finds out by itself.
  const [first, setFirst] = useState<Listener>();
  if (data && !first) setFirst(data);
  if (first) return children(first);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={title}
      position="right"
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {error === null ? (
        <SkeletonRows rows={6} />
      ) : error.status === 404 || error.status === 400 ? (
        <EmptyState title={w.missing({ id: visibleText(id) })} text={w.missingText} />
      ) : (
        <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={refetch} />
      )}
    </Drawer>
  );
}

function NewListener({ title, initial, onClose }: { title: string; initial: Values; onClose: () => void }) {
  const w = useWords(words);
  const fw = useWords(formWords);
  const [begin] = useState(initial);
  return (
    <FormDrawer
      title={title}
      opened
      onClose={onClose}
      endpoint={createListener}
      initial={begin}
      words={formWords}
      toBody={newBodyFrom}
      refresh={CHANGED}
      faultOf={(error) => faultOf(error, fw)}
      onDone={({ id }) =>
        toast('good', w.created({ id }), {
          label: w.authentication,
          run: () => navigate(paths.listenerAuthentication(id)),
        })
      }
    >
      <ListenerFields>
        <TypeChoice />
        <Text
          name="name"
          mono
          required
          check={(value) => (value === '' || LISTENER_NAME.test(String(value)) ? null : fw.nameFault)}
        />
      </ListenerFields>
    </FormDrawer>
  );
}

function EditListener({ listener, onClose }: { listener: Listener; onClose: () => void }) {
  const w = useWords(words);
  const fw = useWords(formWords);
  const { id } = listener;
  const [begin] = useState(() => valuesOf(listener));
  const ask = async (body: unknown): Promise<boolean> => {
    const moves = String((body as Values).bind) !== String(bodyFrom(begin).bind);
    const count = moves ? await connectionsNow(id) : 0;
    if (count === null) return false;
    return confirm({
      title: fw.askTitle({ id }),
      text: !moves ? fw.askStays : count === 0 ? fw.askMovesNobody : fw.askMoves({ count }),
      action: fw.save,
      danger: count > 0,
    });
  };
  return (
    <FormDrawer
      title={w.editTitle({ id })}
      opened
      onClose={onClose}
      endpoint={updateListener}
      params={{ id }}
      initial={begin}
      words={formWords}
      standards={ListenerConfig}
      keepEmpty
      toBody={bodyFrom}
      ask={ask}
      current={() => storedNow(id)}
      refresh={CHANGED}
      faultOf={(error) => faultOf(error, fw)}
      onDone={() => toast('good', w.saved({ id }))}
    >
      <ListenerFacts id={id} listener={listener} />
      <ListenerFields edited={listener.type} />
    </FormDrawer>
  );
}

async function storedNow(id: string): Promise<Values | null> {
  try {
    return valuesOf(await request(api.listeners.get, { params: { id } }, { quiet: true }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

const faultOf = (error: ApiError, w: Words<typeof formWords>): { field: string; text: string } | undefined =>
  error.code === 'BAD_LISTENER_ID' ? { field: 'name', text: w.nameTaken } : listeningFault(error, w);
