/** Rows of two texts as they are typed, and the values of the API that they stand for. */
export interface Row {
  /** Tells rows apart while they are typed. */
  id: number;
  left: string;
  right: string;
}

export interface RowFault {
  side: 'left' | 'right';
  text: string;
}

let nextId = 1;
export const newRow = (left = '', right = ''): Row => ({ id: nextId++, left, right });

/** Rows left wholly empty say nothing. */
export const filled = (rows: readonly Row[]): Row[] =>
  rows.filter(({ left, right }) => left !== '' || right !== '');

/** The first fault of each row, by its id. */
export function faultsOf(
  rows: readonly Row[],
  faultOf: (row: Row, before: readonly Row[]) => RowFault | null,
): Map<number, RowFault> {
  const said = filled(rows);
  return new Map(
    said.flatMap((row, at): [number, RowFault][] => {
      const fault = faultOf(row, said.slice(0, at));
      return fault ? [[row.id, fault]] : [];
    }),
  );
}
