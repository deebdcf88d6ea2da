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

/** The listeners of a gateway that is still to be made: kept in its form, and sent with it. */
export function ListenersField({ gateway, asked }: { gateway: GatewayName; asked: boolean }) {
  const w = useWords(listenerWords);
  const language = useLanguage();
  const field = useField(
    { name: 'listeners', label: w.title },
    { check: (value) => (asked && Array.isArray(value) && value.length === 0 ? w.needed : null) },
  );
  const all = Array.isArray(field.value) ? (field.value as Values[]) : [];
  /** The place of the one in the form; one place behind the last for a new one. */
  const [open, setOpen] = useState<number>();
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
                    onClick={() => setOpen(i)}
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
        <Button leftSection={<IconPlus size={15} />} onClick={() => setOpen(all.length)}>
          {w.add}
        </Button>
      </div>
      {open !== undefined && (
        <OneListener
          gateway={gateway}
          listener={all[open]}
          taken={all.filter((_, i) => i !== open).map((one) => idOf(gateway, one))}
          onDone={(listener) => field.set(open < all.length ? all.with(open, listener) : [...all, listener])}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Field>
  );
}

function OneListener({
  gateway,
  listener,
  taken,
  onDone,
  onClose,
}: {
  gateway: GatewayName;
  /** The one to change; none = a new one. */
  listener: Values | undefined;
  taken: readonly string[];
  onDone: (listener: Values) => void;
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
      onDone={(_, body) => onDone(body as Values)}
    >
      <NewListenerFields gateway={gateway} taken={taken} />
    </FormDrawer>
  );
}
