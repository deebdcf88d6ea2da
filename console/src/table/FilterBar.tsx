import { Drawer, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { request } from '../api/request.ts';
import { useLanguage, useWords } from '../i18n/words.ts';
import { IconClose, IconFilter, IconPlus } from '../ui/icons.tsx';
import {
  type Choice,
  type ChoiceFilter,
  type Filter,
  joinList,
  localOf,
  momentOf,
  splitList,
} from './filters.ts';
import { useNarrow } from './narrow.ts';
import classes from './table.module.css';
import { words } from './words.ts';

const TYPING_MS = 300;

type Values = Readonly<Record<string, string | readonly string[]>>;
/** `typing` makes no step for Back. */
export type SetFilter = (
  field: string,
  value: string | readonly string[] | undefined,
  typing: boolean,
) => void;
type SetValue = (value: string | readonly string[] | undefined, typing: boolean) => void;

const textOf = (value: string | readonly string[] | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : (value[0] ?? '');

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** One row: the pinned filters, those that are set, and "+ Filter" for the rest. On a narrow screen a sheet. */
export function FilterBar({
  filters,
  values,
  onSet,
  onClear,
}: {
  filters: readonly Filter[];
  values: Values;
  onSet: SetFilter;
  onClear: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const narrow = useNarrow();
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [sheet, setSheet] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  useSlashKey(firstField);

  const isSet = ({ field }: Filter) => values[field] !== undefined;
  const shown = filters.filter((one) => one.pinned || isSet(one) || opened.includes(one.field));
  const rest = filters.filter((one) => !shown.includes(one));
  const setCount = filters.filter(isSet).length;
  const [first, ...others] = shown;

  const control = (filter: Filter, isFirst: boolean, autoFocus = false) => (
    <FilterControl
      key={filter.field}
      filter={filter}
      value={filter.kind === 'list' ? joinList(listOf(values[filter.field])) : textOf(values[filter.field])}
      onSet={(value, typing) => onSet(filter.field, value, typing)}
      onRemove={
        (filter.pinned || narrow) && !isSet(filter)
          ? undefined
          : () => {
              setOpened((before) => before.filter((field) => field !== filter.field));
              onSet(filter.field, undefined, false);
            }
      }
      focusRef={isFirst ? firstField : undefined}
      autoFocus={autoFocus}
    />
  );

  if (narrow)
    return (
      <search className={classes.filters} aria-label={w.filters}>
        {first && control(first, true)}
        {filters.length > 1 && (
          <button type="button" className={classes.toolButton} onClick={() => setSheet(true)}>
            <IconFilter size={15} />
            <span>{setCount > 0 ? w.filtersSet({ count: setCount }) : w.filters}</span>
          </button>
        )}
        <Drawer
          opened={sheet}
          onClose={() => setSheet(false)}
          position="bottom"
          size="auto"
          title={w.filters}
          lockScroll={false}
          closeButtonProps={{ 'aria-label': w.close }}
        >
          <div className={classes.sheet}>
            {filters.map((filter) => control(filter, false))}
            <div className={classes.sheetFoot}>
              <button
                type="button"
                className={classes.toolButton}
                disabled={setCount === 0}
                onClick={onClear}
              >
                {w.clearAll}
              </button>
              <button type="button" className={classes.mainButton} onClick={() => setSheet(false)}>
                {w.apply}
              </button>
            </div>
          </div>
        </Drawer>
      </search>
    );

  return (
    <search className={classes.filters} aria-label={w.filters}>
      {first && control(first, true)}
      {others.map((filter) => control(filter, false, opened.includes(filter.field) && !isSet(filter)))}
      {rest.length > 0 && (
        <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
          <Menu.Target>
            <button type="button" className={classes.toolButton}>
              <IconPlus size={14} />
              <span>{w.addFilter}</span>
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map(({ field, label }) => (
              <Menu.Item key={field} onClick={() => setOpened((before) => [...before, field])}>
                {label[language]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {setCount > 0 && (
        <button
          type="button"
          className={classes.plainButton}
          onClick={() => {
            setOpened([]);
            onClear();
          }}
        >
          {w.clearAll}
        </button>
      )}
    </search>
  );
}

interface ControlProps {
  filter: Filter;
  value: string;
  onSet: SetValue;
  onRemove: (() => void) | undefined;
  focusRef: RefObject<HTMLInputElement | null> | undefined;
  autoFocus: boolean;
}

function FilterControl({ filter, value, onSet, onRemove, focusRef, autoFocus }: ControlProps) {
  const w = useWords(words);
  const language = useLanguage();
  const id = useId();
  const own = useRef<HTMLDivElement>(null);
  const label = filter.label[language];
  useEffect(() => {
    if (autoFocus) own.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [autoFocus]);
  return (
    <div ref={own} className={classes.filter} data-set={value !== '' || undefined}>
      <label htmlFor={id} className={classes.filterLabel}>
        {label}
      </label>
      {filter.kind === 'choice' ? (
        <ChoiceControl id={id} filter={filter} value={value} onSet={onSet} />
      ) : filter.kind === 'time' ? (
        <input
          id={id}
          className={classes.filterInput}
          type="datetime-local"
          data-kind="time"
          value={localOf(value)}
          onChange={(event) => onSet(momentOf(event.currentTarget.value), true)}
        />
      ) : (
        <TypedControl
          id={id}
          kind={filter.kind}
          example={filter.kind === 'number' ? undefined : filter.example}
          value={value}
          onSet={onSet}
          focusRef={focusRef}
        />
      )}
      {onRemove && (
        <button
          type="button"
          className={classes.filterRemove}
          aria-label={w.clearFilter({ label })}
          onClick={onRemove}
        >
          <IconClose size={13} />
        </button>
      )}
    </div>
  );
}

/** Asks the server when the typing pauses; what Back or "Clear all filters" changed shows at once. */
function TypedControl({
  id,
  kind,
  example,
  value,
  onSet,
  focusRef,
}: {
  id: string;
  kind: 'text' | 'list' | 'number';
  example: string | undefined;
  value: string;
  onSet: SetValue;
  focusRef: RefObject<HTMLInputElement | null> | undefined;
}) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    clearTimeout(timer.current);
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const send = (typed: string) => {
    clearTimeout(timer.current);
    // A comma just typed says nothing yet; what the address holds must not take it away again.
    const texts = kind === 'list' ? splitList(typed) : [];
    const next = kind === 'list' ? joinList(texts) : typed;
    if (next === sent.current) return;
    if (kind === 'number' && next !== '' && !/^\d+$/.test(next)) return;
    sent.current = next;
    onSet(next === '' ? undefined : kind === 'list' ? texts : next, true);
  };
  return (
    <input
      id={id}
      ref={focusRef}
      className={classes.filterInput}
      type="text"
      inputMode={kind === 'number' ? 'numeric' : 'search'}
      autoComplete="off"
      spellCheck={false}
      maxLength={1024}
      value={text}
      placeholder={example}
      aria-invalid={kind === 'number' && text !== '' && !/^\d+$/.test(text) ? true : undefined}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => send(next), TYPING_MS);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') send(text);
        if (event.key === 'Escape' && text !== '') {
          event.preventDefault();
          setText('');
          send('');
        }
      }}
    />
  );
}

function ChoiceControl({
  id,
  filter,
  value,
  onSet,
}: {
  id: string;
  filter: ChoiceFilter;
  value: string;
  onSet: SetValue;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const { field, choices } = filter;
  const loaded = useQuery({
    queryKey: ['filter choices', field],
    queryFn: ({ signal }) =>
      typeof choices === 'function'
        ? choices((endpoint, given) => request(endpoint, given, { signal, quiet: true }))
        : ([] as Choice[]),
    enabled: typeof choices === 'function',
    staleTime: 60_000,
  });
  const list = typeof choices === 'function' ? (loaded.data ?? []) : choices;
  const textFor = ({ value: one, label }: Choice) =>
    label === undefined ? one : typeof label === 'string' ? label : label[language];
  return (
    <select
      id={id}
      className={classes.filterInput}
      value={value}
      title={loaded.isError ? w.optionsFailed : undefined}
      onChange={(event) => onSet(event.currentTarget.value || undefined, false)}
    >
      <option value="">{w.any}</option>
      {/* A value of the URL that nobody offers stays visible: it filters all the same. */}
      {value !== '' && !list.some((one) => one.value === value) && <option value={value}>{value}</option>}
      {list.map((one) => (
        <option key={one.value} value={one.value}>
          {textFor(one)}
        </option>
      ))}
    </select>
  );
}

/** `/` brings the operator to the first filter, unless he is typing somewhere. */
function useSlashKey(field: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      const target = event.target as HTMLElement | null;
      if (target?.closest('input, textarea, select, [contenteditable], [role="dialog"]')) return;
      // What stands before the page has the keys.
      if (!field.current || document.querySelector('[aria-modal="true"], dialog[open]')) return;
      event.preventDefault();
      field.current.focus();
      field.current.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [field]);
}
