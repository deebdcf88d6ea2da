import { useRef } from 'react';
import { Field } from '../../form/Field.tsx';
import { type FieldProps, useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { generalWords as words } from './general-words.ts';
import { RowTable, useRows } from './RowTable.tsx';
import { faultsOf, filled, newRow, type Row, type RowFault } from './rows.ts';

interface Attribute {
  expression: string;
  set_as_attr: string;
}

const rowsOf = (value: unknown): Row[] =>
  Array.isArray(value)
    ? (value as Attribute[]).map(({ expression, set_as_attr }) => newRow(expression, set_as_attr))
    : [];

const valueFrom = (rows: readonly Row[]): Attribute[] =>
  filled(rows).map(({ left, right }) => ({ expression: left, set_as_attr: right }));

/** Attributes of a client that are worked out when it connects: an expression and the name of each. */
export function ClientAttributes(props: FieldProps) {
  const w = useWords(words);
  const rowsRef = useRef<readonly Row[]>([]);
  function faultOf({ left, right }: Row, before: readonly Row[]): RowFault | null {
    if (left === '') return { side: 'left', text: w.noExpression };
    if (right === '') return { side: 'right', text: w.noAttribute };
    return before.some((row) => row.right === right)
      ? { side: 'right', text: w.attributeTwice({ name: right }) }
      : null;
  }
  const field = useField(props, {
    check: () => [...faultsOf(rowsRef.current, faultOf).values()][0]?.text ?? null,
  });
  const [rows, setRows] = useRows(field, rowsRef, rowsOf, valueFrom);
  const faults = field.error === undefined ? new Map<number, RowFault>() : faultsOf(rows, faultOf);
  return (
    <Field field={faults.size > 0 ? { ...field, error: undefined } : field} group>
      <RowTable
        field={field}
        rows={rows}
        onChange={setRows}
        faults={faults}
        labels={{
          left: w.expression,
          right: w.attribute,
          leftOf: (row) => w.expressionOf({ row }),
          rightOf: (row) => w.attributeOf({ row }),
          add: w.addAttribute,
          remove: ({ right }, at) => w.removeAttribute({ name: right || String(at) }),
        }}
      />
    </Field>
  );
}
