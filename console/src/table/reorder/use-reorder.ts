import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { sentenceOfDeed } from '../../api/report.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { reasonOf } from '../BulkBar.tsx';
import type { Ordering } from '../Grid.tsx';
import { makeDraggable } from './drag.ts';
import { moved, type Position, positionOf } from './order.ts';
import { words } from './words.ts';

export interface Reorder {
  /** The order on screen while moves are under way; undefined when it is that of the rows. */
  ids: readonly string[] | undefined;
  ordering: Ordering;
  moveTo: (id: string, index: number) => void;
  /** What happened last, for those who hear it. */
  said: string;
}

/**
 * Moves rows at once and tells the broker behind: one move after the other, because each names a neighbour. When one is
 * refused, those behind it are dropped and the rows stand as the broker has them.
 */
export function useReorder(
  stored: readonly string[],
  {
    move,
    nameOf,
  }: {
    /** Moves it at the broker and has the list read anew; throws when it was refused. */
    move: (id: string, position: Position) => Promise<unknown>;
    nameOf: (id: string) => string;
  },
): Reorder {
  const w = useWords(words);
  const [ids, setIds] = useState<readonly string[]>();
  const [said, setSaid] = useState('');
  const [list] = useState(() => Symbol('list'));
  const latest = useRef({ ids, stored, move, nameOf, w });
  latest.current = { ids, stored, move, nameOf, w };
  const queue = useRef({ tail: Promise.resolve(), waiting: 0, round: 0 });
  /** A row that moves within the document loses the focus; it is given back once it stands. */
  const toFocus = useRef<string>(undefined);

  const moveTo = useCallback((id: string, index: number) => {
    const { ids: shown, stored: at, w } = latest.current;
    const before = shown ?? at;
    const next = moved(before, id, index);
    if (next === before) return;
    const upwards = next.indexOf(id) < before.indexOf(id);
    latest.current.ids = next;
    setIds(next);
    const name = visibleText(latest.current.nameOf(id));
    setSaid(w.moved({ name, position: next.indexOf(id) + 1, count: next.length }));
    const line = queue.current;
    const { round } = line;
    line.waiting += 1;
    line.tail = line.tail.then(async () => {
      try {
        // One that was refused has brought the old order back, of which this one knows nothing.
        if (round === line.round) await latest.current.move(id, positionOf(next, id, upwards));
      } catch (error) {
        line.round += 1;
        const { w } = latest.current;
        const text = w.failed({ name, reason: reasonOf(error, w.unknown, sentenceOfDeed) });
        setSaid(text);
        toast('bad', text);
      } finally {
        line.waiting -= 1;
        const isRefused = round !== line.round;
        // After a success the rows follow with the next drawing; until then a key goes on from the order on screen.
        if (isRefused) latest.current.ids = undefined;
        if (isRefused || line.waiting === 0) setIds(undefined);
      }
    });
  }, []);

  useEffect(() => {
    const id = toFocus.current;
    if (id === undefined) return;
    toFocus.current = undefined;
    const row = [...document.querySelectorAll<HTMLElement>('[data-row]')].find(
      ({ dataset }) => dataset.row === id,
    );
    if (row && !row.contains(document.activeElement)) row.focus();
  });

  const step = useCallback(
    (id: string, by: -1 | 1) => {
      const { ids: shown, stored: at } = latest.current;
      toFocus.current = id;
      moveTo(id, (shown ?? at).indexOf(id) + by);
    },
    [moveTo],
  );
  const attach = useCallback(
    (row: HTMLElement, id: string) =>
      makeDraggable(row, {
        list,
        id,
        drop: (source, target, edge) => {
          const now = latest.current.ids ?? latest.current.stored;
          const without = now.filter((one) => one !== source);
          moveTo(source, without.indexOf(target) + (edge === 'after' ? 1 : 0));
        },
      }),
    [list, moveTo],
  );
  const ordering = useMemo<Ordering>(
    () => ({ attach, step, label: w.order, grip: w.grip }),
    [attach, step, w],
  );
  const moveByMenu = useCallback(
    (id: string, index: number) => {
      toFocus.current = id;
      moveTo(id, index);
    },
    [moveTo],
  );
  return { ids, ordering, moveTo: moveByMenu, said };
}
