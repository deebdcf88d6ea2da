import type { ReactNode } from 'react';
import styles from './FigureTable.module.css';

export interface FigureColumn {
  label: string;
  /** Words wrap; numbers stand right. */
  kind?: 'number' | 'words' | undefined;
}

export interface FigureRow {
  key: string;
  /** Whose row it is: a node, a bridge. */
  head: ReactNode;
  /** One for each column. */
  cells: readonly ReactNode[];
}

/** Figures of the parts of a whole, a row for each; scrolls sideways where there is no room. */
export function FigureTable({
  label,
  headLabel,
  columns,
  rows,
}: {
  label: string;
  headLabel: string;
  columns: readonly FigureColumn[];
  rows: readonly FigureRow[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.region} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{headLabel}</th>
            {columns.map((column) => (
              <th key={column.label} scope="col" data-kind={column.kind}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, cells }) => (
            <tr key={key}>
              <th scope="row">{head}</th>
              {columns.map((column, i) => (
                <td key={column.label} data-kind={column.kind}>
                  {cells[i]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
