import { useState } from 'react';
import { columnsOf } from '../../table/columns.tsx';
import { OrderedTable } from '../../table/reorder/OrderedTable.tsx';
import type { Position } from '../../table/reorder/order.ts';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Panel } from '../../ui/Page.tsx';

interface Link {
  id: string;
  enable: boolean;
}

const column = columnsOf<Link>();
const nodes = [
  { node: 'core-1@10.0.0.1', is: 'connected' },
  { node: 'core-2@10.0.0.2', is: 'disconnected', reason: 'MySQL refused the password for user mqtt' },
] as const;

function place(rows: readonly Link[], id: string, position: Position): Link[] {
  const moved = rows.filter((row) => row.id === id);
  const rest = rows.filter((row) => row.id !== id);
  const neighbour = rest.findIndex((row) => position.endsWith(`:${row.id}`));
  const at =
    position === 'front'
      ? 0
      : position === 'rear'
        ? rest.length
        : neighbour + (position.startsWith('after') ? 1 : 0);
  return [...rest.slice(0, at), ...moved, ...rest.slice(at)];
}

/** A list whose order matters, with a state that tells of each node and a switch per row. The last one refuses to move. */
export function OrderSample() {
  const [rows, setRows] = useState<Link[]>([
    { id: 'jwt', enable: true },
    { id: 'mysql', enable: true },
    { id: 'redis', enable: false },
    { id: 'immovable', enable: true },
  ]);
  const [columns] = useState(() => [
    column.id('id'),
    column.custom('status', ({ id }) => <NodeStates is="inconsistent" nodes={nodes} name={id} />, {
      lead: true,
      width: 140,
    }),
    column.custom('enable', ({ id, enable }) => (
      <EnableSwitch
        on={enable}
        label={`Enable ${id}`}
        onChange={async (on) =>
          setRows((before) => before.map((row) => (row.id === id ? { ...row, enable: on } : row)))
        }
      />
    )),
  ]);
  return (
    <Panel title="A list whose order matters">
      <OrderedTable
        label="Sample chain"
        rows={rows}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ id }) => id}
        empty="Nothing"
        actions={() => [{ label: 'Delete', run: () => undefined, danger: true }]}
        move={async (id, position) => {
          if (id === 'immovable') throw new Error('it does not want to');
          setRows((before) => place(before, id, position));
        }}
      />
    </Panel>
  );
}
