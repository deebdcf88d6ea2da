import type { Bridge } from '@mqdeck/contract/bridges';
import { useState } from 'react';
import classes from '../../form/form.module.css';
import { useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { IconBridge, IconEdit, IconPlus, IconRefresh, IconTerminal, IconTrash } from '../../ui/icons.tsx';
import { State, stateOf } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ActionDrawer } from './ActionDrawer.tsx';
import { actionWords } from './action-words.ts';
import { type Action, actionName, argsOf, isConsole, isKnown } from './actions.ts';
import { bridgeIdOf, idOf } from './bridge-sides.ts';
import styles from './rules.module.css';

/** The actions of the rule, a card each. */
export function ActionsField({ bridges, names }: { bridges: readonly Bridge[]; names: readonly string[] }) {
  const w = useWords(actionWords);
  const field = useField(
    { name: 'actions' },
    { show: (value) => (value as Action[] | undefined)?.map((one) => actionName(one, w)).join(', ') || null },
  );
  const actions = (field.value ?? []) as readonly Action[];
  const [open, setOpen] = useState<number | 'new'>();
  const remove = async (at: number) => {
    const name = actionName(actions[at]!, w);
    const ask = { title: w.removeAsk({ name }), text: w.removeText, action: w.removeVerb };
    if (await confirm(ask)) field.set(actions.toSpliced(at, 1));
  };
  const take = (action: Action) => {
    field.set(open === 'new' ? [...actions, action] : actions.with(open as number, action));
    setOpen(undefined);
  };
  return (
    <div className={styles.actions} data-field="actions">
      {actions.length === 0 && <p className={styles.note}>{w.none}</p>}
      {actions.length > 0 && (
        <ul className={styles.cards} aria-label={field.label}>
          {actions.map((action, at) => {
            const name = actionName(action, w);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two actions may be alike, and have no name of their own
              <li key={at} className={styles.card}>
                <span className={styles.sign}>
                  {typeof action === 'string' ? (
                    <IconBridge size={18} />
                  ) : isConsole(action) ? (
                    <IconTerminal size={18} />
                  ) : (
                    <IconRefresh size={18} />
                  )}
                </span>
                <span className={styles.cardText}>
                  <ActionText action={action} bridges={bridges} />
                </span>
                {isKnown(action) && !isConsole(action) && (
                  <button
                    type="button"
                    className={classes.inside}
                    aria-label={w.edit({ name })}
                    onClick={() => setOpen(at)}
                  >
                    <IconEdit size={15} />
                  </button>
                )}
                <button
                  type="button"
                  className={classes.inside}
                  aria-label={w.remove({ name })}
                  onClick={() => void remove(at)}
                >
                  <IconTrash size={15} />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {field.error && (
        <p className={classes.error} role="alert">
          {field.error}
        </p>
      )}
      <button type="button" className={classes.small} onClick={() => setOpen('new')}>
        <IconPlus size={14} />
        {w.add}
      </button>
      {open !== undefined && (
        <ActionDrawer
          action={open === 'new' ? undefined : actions[open]}
          others={open === 'new' ? actions : actions.toSpliced(open, 1)}
          bridges={bridges}
          names={names}
          onTake={take}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function ActionText({ action, bridges }: { action: Action; bridges: readonly Bridge[] }) {
  const w = useWords(actionWords);
  if (typeof action === 'string') {
    const id = bridgeIdOf(action);
    const bridge = bridges.find((one) => idOf(one) === id);
    return (
      <>
        <strong>
          <bdi>{visibleText(id)}</bdi>
        </strong>
        {bridge ? (
          <State is={bridge.enable ? stateOf(bridge.status) : 'disabled'} wanted />
        ) : (
          <span className={styles.note}>{w.bridgeGone({ name: visibleText(id) })}</span>
        )}
      </>
    );
  }
  if (isConsole(action))
    return (
      <>
        <strong>{w.console}</strong>
        <span className={styles.note}>{w.consoleText}</span>
      </>
    );
  if (action.function !== 'republish')
    return <strong>{w.unknownKind({ name: visibleText(action.function) })}</strong>;
  const { topic, qos, retain } = argsOf(action);
  return (
    <>
      <strong>{w.republish}</strong>
      <span className={styles.note}>
        <code>{visibleText(String(topic))}</code> · QoS {visibleText(String(qos ?? '${qos}'))} · {w.retain}{' '}
        {visibleText(String(retain ?? '${retain}'))}
      </span>
    </>
  );
}
