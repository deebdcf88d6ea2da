import { api } from '@mqdeck/contract/api';
import { type GatewayListener, type GatewayName, NewGatewayListener } from '@mqdeck/contract/gateways';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { request } from '../../../api/request.ts';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { useWords } from '../../../i18n/words.ts';
import { confirm } from '../../../ui/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { GatewayListenerFields, NewListenerFields } from './GatewayListenerFields.tsx';
import { listenerFormWords, listenerWords } from './listener-words.ts';
import { CHANGED, connectionsNow, createListener, faultOf, updateListener } from './use-listeners.ts';
import { bodyFrom, newBodyFrom, newListener, type Values, valuesOf } from './values.ts';

/** A new listener of a gateway. */
export function NewListener({
  name,
  taken,
  onClose,
}: {
  name: GatewayName;
  /** The ids that are there. */
  taken: readonly string[];
  onClose: () => void;
}) {
  const w = useWords(listenerWords);
  const [begin] = useState(() => newListener(name));
  return (
    <FormDrawer
      title={w.add}
      opened
      onClose={onClose}
      endpoint={createListener}
      params={{ name }}
      initial={begin}
      words={listenerFormWords}
      toBody={newBodyFrom}
      refresh={CHANGED}
      faultOf={(error) => faultOf(error, w)}
      onDone={({ id }) => toast('good', w.created({ id }))}
    >
      <NewListenerFields gateway={name} taken={taken} />
    </FormDrawer>
  );
}

/** Another bind address, which its devices notice, or other limits. */
export function EditListener({
  name,
  listener,
  onClose,
}: {
  name: GatewayName;
  listener: GatewayListener;
  onClose: () => void;
}) {
  const w = useWords(listenerWords);
  const { id } = listener;
  const [begin] = useState(() => valuesOf(listener));
  const ask = async (body: unknown): Promise<boolean> => {
    const moves = String((body as Values).bind) !== String(bodyFrom(begin).bind);
    const count = moves ? await connectionsNow(name, id) : 0;
    if (count === null) return false;
    return confirm({
      title: w.askTitle({ id: visibleText(id) }),
      text: !moves ? w.askStays : count === 0 ? w.askMovesNobody : w.askMoves({ count }),
      action: w.save,
      danger: count > 0,
    });
  };
  return (
    <FormDrawer
      title={w.editTitle({ id: visibleText(id) })}
      opened
      onClose={onClose}
      endpoint={updateListener}
      params={{ name, id }}
      initial={begin}
      words={listenerFormWords}
      standards={NewGatewayListener}
      keepEmpty
      toBody={bodyFrom}
      ask={ask}
      current={() => storedNow(name, id)}
      refresh={CHANGED}
      faultOf={(error) => faultOf(error, w)}
      onDone={() => toast('good', w.saved({ id }))}
    >
      <GatewayListenerFields type={listener.type} isNew={false} />
    </FormDrawer>
  );
}

async function storedNow(name: GatewayName, id: string): Promise<Values | null> {
  try {
    return valuesOf(await request(api.gateways.listener, { params: { name, id } }, { quiet: true }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
