import { Button } from '@mantine/core';
import type { GatewayListener, GatewayName } from '@mqdeck/contract/gateways';
import { useState } from 'react';
import { Field } from '../../../form/Field.tsx';
import { FormDrawer } from '../../../form/FormDrawer.tsx';
import { shownBind } from '../../../form/listening/bind.ts';
import { useField } from '../../../form/use-field.ts';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { FigureTable } from '../../../ui/FigureTable.tsx';
import { formatNumber, NOTHING } from '../../../ui/format.ts';
import { IconPlus } from '../../../ui/icons.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from '../gateways.module.css';
import { NewListenerFields } from './GatewayListenerFields.tsx';
import { listenerFormWords, listenerWords } from './listener-words.ts';
import { createListener } from './use-listeners.ts';
import { bodyFrom, idOf, newListener, type Values } from './values.ts';

/** One of them in its form, which stands beside that of the gateway: forms do not hold forms. */
export interface EditedListener {
  /** None = a new one. */
  listener: Values | undefined;
  /** The ids of the others. */
  taken: readonly string[];
  keep: (listener: Values) => void;
}

/** The listeners of a gateway that is still to be made: kept in its form, and sent with it. */
export function ListenersField({
  gateway,
  asked,
  onEdit,
}: {
  gateway: GatewayName;
  asked: boolean;
  onEdit: (edited: EditedListener) => void;
}) {
  const w = useWords(listenerWords);
  const language = useLanguage();
  const field = useField(
    { name: 'listeners', label: w.title },
    { check: (value) => (asked && Array.isArray(value) && value.length === 0 ? w.needed : null) },
  );
  const all = Array.isArray(field.value) ? (field.value as Values[]) : [];
  /** One place behind the last is a new one. */
  const edit = (place: number) =>
    onEdit({
      listener: all[place],
      taken: all.filter((_, i) => i !== place).map((one) => idOf(gateway, one)),
      keep: (listener) => field.set(place < all.length ? all.with(place, listener) : [...all, listener]),
    });
  const limit = (value: unknown) =>
    typeof value === 'number' ? formatNumber(value, language) : value === 'infinity' ? w.unlimited : NOTHING;
  return (
    <Field field={field} group>
      <div className={styles.listenerList} id={field.id}>
        {all.length === 0 ? (
          <EmptyState title={w.empty} />
        ) : (
          <FigureTable
            label={w.title}
            headLabel={w.name}
            columns={[
              { label: w.type },
              { label: w.bind },
              { label: w.max_connections, kind: 'number' },
              { label: w.acceptors, kind: 'number' },
              { label: w.deeds },
            ]}
            rows={all.map((one, i) => ({
              key: idOf(gateway, one),
              head: <bdi>{visibleText(String(one.name))}</bdi>,
              cells: [
                String(one.type),
                <code key="bind">{visibleText(shownBind(one.bind))}</code>,
                limit(one.max_connections),
                one.type === 'udp' ? NOTHING : limit(one.acceptors),
                <span key="deeds" className={styles.deeds}>
                  <button
                    type="button"
                    className={styles.plain}
                    aria-label={w.editOf({ id: idOf(gateway, one) })}
                    onClick={() => edit(i)}
                  >
                    {w.edit}
                  </button>
                  <button
                    type="button"
                    className={styles.plain}
                    aria-label={w.removeOf({ id: idOf(gateway, one) })}
                    onClick={() => field.set(all.filter((_, at) => at !== i))}
                  >
                    {w.remove}
                  </button>
                </span>,
              ],
            }))}
          />
        )}
        <Button leftSection={<IconPlus size={15} />} onClick={() => edit(all.length)}>
          {w.add}
        </Button>
      </div>
    </Field>
  );
}

export function KeptListener({
  gateway,
  edited: { listener, taken, keep },
  onClose,
}: {
  gateway: GatewayName;
  edited: EditedListener;
  onClose: () => void;
}) {
  const w = useWords(listenerWords);
  const [begin] = useState(() => ({ ...newListener(gateway), ...listener }));
  return (
    <FormDrawer
      title={listener ? w.editTitle({ id: idOf(gateway, listener) }) : w.add}
      opened
      onClose={onClose}
      endpoint={createListener}
      params={{ name: gateway }}
      initial={begin}
      words={listenerFormWords}
      toBody={bodyFrom}
      keep={(body) => body as GatewayListener}
      submitLabel={listener ? w.done : w.add}
      onDone={(_, body) => keep(body as Values)}
    >
      <NewListenerFields gateway={gateway} taken={taken} />
    </FormDrawer>
  );
}
