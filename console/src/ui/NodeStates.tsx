import { Popover } from '@mantine/core';
import { useId, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import styles from './NodeStates.module.css';
import { State, type StateName } from './State.tsx';
import { visibleText } from './visible-text.ts';
import { words } from './words.ts';

/** How the thing stands on one node, and why. */
export interface NodeState {
  node: string;
  is: StateName;
  reason?: string | undefined;
}

/** The state over all nodes; pointed at, focused or pressed it tells how each of them stands. */
export function NodeStates({
  is,
  nodes,
  name,
}: {
  is: StateName;
  nodes: readonly NodeState[];
  /** Whose state it is. */
  name: string;
}) {
  const w = useWords(words);
  const id = useId();
  const [opened, setOpened] = useState(false);
  if (nodes.length === 0) return <State is={is} wanted />;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" withRoles={false}>
      <Popover.Target>
        <button
          type="button"
          className={styles.button}
          aria-label={w.stateOn({ name, state: w[is] })}
          aria-expanded={opened}
          aria-describedby={opened ? id : undefined}
          onMouseEnter={() => setOpened(true)}
          onMouseLeave={() => setOpened(false)}
          onFocus={() => setOpened(true)}
          onBlur={() => setOpened(false)}
          onClick={() => setOpened(true)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || !opened) return;
            event.stopPropagation();
            setOpened(false);
          }}
        >
          <State is={is} wanted />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.panel} id={id} role="tooltip">
        <NodeStateList nodes={nodes} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Each node on its line, with the reason below it. */
function NodeStateList({ nodes }: { nodes: readonly NodeState[] }) {
  return (
    <ul className={styles.list}>
      {nodes.map(({ node, is, reason }) => (
        <li key={node}>
          <span className={styles.line}>
            <State is={is} wanted />
            <bdi className={styles.node}>{visibleText(node)}</bdi>
          </span>
          {reason && <span className={styles.reason}>{visibleText(reason)}</span>}
        </li>
      ))}
    </ul>
  );
}
