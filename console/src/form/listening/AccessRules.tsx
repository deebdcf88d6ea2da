import { parseAccessRule } from '@mqdeck/contract/listeners';
import { useEffect, useRef, useState } from 'react';
import { useWords } from '../../i18n/words.ts';
import { IconArrowDown, IconArrowUp, IconClose, IconPlus } from '../../ui/icons.tsx';
import { Field } from '../Field.tsx';
import classes from '../form.module.css';
import { useField } from '../use-field.ts';
import styles from './listening.module.css';
import { listeningWords } from './words.ts';

/** `deny 10.0.0.0/8` as its two controls have it. */
const partsOf = (rule: string): { effect: 'allow' | 'deny'; address: string } => ({
  effect: /^\s*deny\b/.test(rule) ? 'deny' : 'allow',
  address: rule.trim().replace(/^\w*\s*/, ''),
});

/** Who may open a connection, in an order that is changed by two buttons per rule. */
export function AccessRules() {
  const w = useWords(listeningWords);
  const field = useField(
    { name: 'access_rules' },
    {
      check: (value) => {
        const wrong =
          (value as string[] | undefined)?.findIndex((rule) => parseAccessRule(rule) === null) ?? -1;
        return wrong < 0 ? null : w.ruleFault({ row: wrong + 1 });
      },
    },
  );
  const rules = Array.isArray(field.value) ? field.value.map(String) : [];
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  /** What has the focus once the rules stand as they were put. */
  const toFocus = useRef<{ row: number; controls: readonly string[] }>(undefined);
  useEffect(() => {
    if (!toFocus.current) return;
    const { row, controls } = toFocus.current;
    toFocus.current = undefined;
    const line = list.current?.children[row];
    for (const control of controls) {
      const wanted = line?.querySelector<HTMLElement>(`[data-control="${control}"]:not(:disabled)`);
      if (!wanted) continue;
      wanted.focus();
      return;
    }
  });

  const put = (row: number, rule: string) => field.set(rules.with(row, rule));
  const move = (row: number, to: number) => {
    const rest = rules.filter((_, i) => i !== row);
    field.set([...rest.slice(0, to), rules[row]!, ...rest.slice(to)]);
    setSaid(w.ruleMoved({ row: to + 1, count: rules.length }));
    toFocus.current = { row: to, controls: to < row ? ['up', 'down'] : ['down', 'up'] };
  };
  const remove = (row: number) => {
    field.set(rules.filter((_, i) => i !== row));
    toFocus.current = { row: Math.min(row, rules.length - 2), controls: ['remove'] };
  };
  const add = () => {
    field.set([...rules, 'allow ']);
    toFocus.current = { row: rules.length, controls: ['address'] };
  };
  return (
    <Field field={field} group>
      <ol ref={list} className={classes.rows} id={field.id} aria-labelledby={`${field.id}-label`}>
        {rules.map((rule, i) => {
          const row = i + 1;
          const { effect, address } = partsOf(rule);
          const wrong = field.error !== undefined && parseAccessRule(rule) === null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their place
            <li key={i} className={styles.rule}>
              <select
                className={classes.input}
                data-control="effect"
                aria-label={w.effectOf({ row })}
                value={effect}
                disabled={field.disabled}
                onChange={(event) => put(i, `${event.currentTarget.value} ${address}`)}
              >
                <option value="allow">{w.allow}</option>
                <option value="deny">{w.deny}</option>
              </select>
              <input
                className={classes.input}
                data-mono="true"
                data-control="address"
                aria-label={w.addressOf({ row })}
                aria-invalid={wrong || undefined}
                aria-describedby={field.aria['aria-describedby']}
                value={address}
                placeholder="10.0.0.0/8"
                spellCheck={false}
                autoComplete="off"
                disabled={field.disabled}
                onChange={(event) => put(i, `${effect} ${event.currentTarget.value}`)}
                onBlur={field.blur}
              />
              <button
                type="button"
                className={classes.rowTool}
                data-control="up"
                aria-label={w.ruleUp({ row })}
                disabled={i === 0 || field.disabled}
                onClick={() => move(i, i - 1)}
              >
                <IconArrowUp size={14} />
              </button>
              <button
                type="button"
                className={classes.rowTool}
                data-control="down"
                aria-label={w.ruleDown({ row })}
                disabled={i === rules.length - 1 || field.disabled}
                onClick={() => move(i, i + 1)}
              >
                <IconArrowDown size={14} />
              </button>
              <button
                type="button"
                className={classes.rowTool}
                data-control="remove"
                aria-label={w.ruleRemove({ row })}
                disabled={field.disabled}
                onClick={() => remove(i)}
              >
                <IconClose size={14} />
              </button>
            </li>
          );
        })}
      </ol>
      <button type="button" className={classes.small} disabled={field.disabled} onClick={add}>
        <IconPlus size={13} />
        {w.ruleAdd}
      </button>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </Field>
  );
}
