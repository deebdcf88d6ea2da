import type { ReactNode } from 'react';
import type { Language } from '../i18n/language.ts';
import {
  bytesText,
  durationText,
  Flag,
  Identifier,
  LinkedIdentifier,
  Moment,
  numberText,
  PlainText,
  StateCell,
} from './cells.tsx';

/** A text in both languages, as a words file declares it. */
export interface Word {
  en: string;
  zh: string;
}

export interface Column<Row> {
  id: string;
  label: Word;
  /** The least width in pixels, and the share of what is left over. */
  width: number;
  grow: number;
  align: 'start' | 'end';
  /** Stands first in the rows of a narrow screen, beside the first column. */
  lead: boolean;
  /** Stands before the other facts in those rows. */
  brief: boolean;
  /** The name by which the list is sorted; `false` where it makes no sense. */
  sort: string | false;
  /** Not shown until the operator chooses it. */
  hidden: boolean;
  /** Stays as it is in exports and is what a local list filters and sorts by. */
  value: (row: Row) => unknown;
  /** The fields it reads; its id unless told. */
  fields: readonly string[];
  render: (row: Row, language: Language) => ReactNode;
}

export type ColumnOptions<Row> = Partial<
  Pick<
    Column<Row>,
    'label' | 'width' | 'grow' | 'sort' | 'hidden' | 'value' | 'fields' | 'align' | 'lead' | 'brief'
  >
>;

type Field<Row> = Extract<keyof Row, string>;

/**
 * The columns of a list, declared once at module scope. A label is the word of that name in `words`, else the
 * field's own name.
 */
export function columnsOf<Row extends object>(words: Readonly<Record<string, Word>> = {}) {
  function make(
    id: string,
    render: Column<Row>['render'],
    options: ColumnOptions<Row>,
    standard: ColumnOptions<Row> = {},
  ): Column<Row> {
    return {
      id,
      label: words[id] ?? { en: id, zh: id },
      width: 110,
      grow: 1,
      align: 'start',
      lead: false,
      brief: false,
      sort: id,
      hidden: false,
      value: (row) => (row as Record<string, unknown>)[id],
      fields: [id],
      render,
      ...standard,
      ...options,
    };
  }

  const valueIn = (row: Row, field: string, { value }: ColumnOptions<Row>): unknown =>
    value === undefined ? (row as Record<string, unknown>)[field] : value(row);

  return {
    text: (field: Field<Row>, options: ColumnOptions<Row> = {}) =>
      make(field, (row) => <PlainText value={valueIn(row, field, options)} />, options),

    /** An identifier, topic or payload: monospaced, copied by a click. */
    id: (field: Field<Row>, options: ColumnOptions<Row> = {}) =>
      make(field, (row) => <Identifier value={valueIn(row, field, options)} />, options, {
        width: 150,
        grow: 2,
      }),

    /** An identifier that leads to its page. */
    link: (field: Field<Row>, to: (id: string, row: Row) => string, options: ColumnOptions<Row> = {}) =>
      make(
        field,
        (row) => {
          const value = valueIn(row, field, options);
          return <LinkedIdentifier value={value} to={to(String(value ?? ''), row)} />;
        },
        options,
        { width: 170, grow: 2 },
      ),

    number: (field: Field<Row>, options: ColumnOptions<Row> & { digits?: number } = {}) =>
      make(
        field,
        (row, language) => numberText(valueIn(row, field, options), language, options.digits),
        withoutDigits(options),
        { align: 'end', width: 80, grow: 0.6 },
      ),

    bytes: (field: Field<Row>, options: ColumnOptions<Row> = {}) =>
      make(field, (row, language) => bytesText(valueIn(row, field, options), language), options, {
        align: 'end',
        width: 90,
        grow: 0.6,
      }),

    /** A number of seconds (`unit: 's'`) or milliseconds as "2 h 5 min". */
    duration: (field: Field<Row>, options: ColumnOptions<Row> & { unit?: 's' | 'ms' } = {}) => {
      const { unit = 's', ...rest } = options;
      return make(
        field,
        (row, language) => durationText(valueIn(row, field, options), unit, language),
        rest,
        { align: 'end', width: 100, grow: 0.6 },
      );
    },

    /** A moment: how long ago, the exact time with its zone on hover. */
    time: (field: Field<Row>, options: ColumnOptions<Row> = {}) =>
      make(field, (row) => <Moment value={valueIn(row, field, options)} />, options, { width: 120 }),

    flag: (field: Field<Row>, options: ColumnOptions<Row> = {}) =>
      make(field, (row) => <Flag value={valueIn(row, field, options)} />, options, { width: 80, grow: 0.5 }),

    /** A state of the fixed vocabulary. Booleans mean connected and disconnected unless `states` says other. */
    badge: (
      field: Field<Row>,
      options: ColumnOptions<Row> & { states?: (value: unknown) => string } = {},
    ) => {
      const { states, ...rest } = options;
      const stateOf =
        states ??
        ((value: unknown) =>
          typeof value === 'boolean' ? (value ? 'connected' : 'disconnected') : String(value ?? ''));
      return make(field, (row) => <StateCell value={stateOf(valueIn(row, field, options))} />, rest, {
        lead: true,
        width: 130,
      });
    },

    /** Anything else; `value` is what an export writes. */
    custom: (id: string, render: Column<Row>['render'], options: ColumnOptions<Row> = {}) =>
      make(id, render, options, { sort: false }),
  };
}

function withoutDigits<Row>({
  digits: _,
  ...rest
}: ColumnOptions<Row> & { digits?: number }): ColumnOptions<Row> {
  return rest;
}
