import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';

/** Above or below the row under the pointer. */
type Edge = 'before' | 'after';

const edgeOf = (row: Element, clientY: number): Edge => {
  const { top, height } = row.getBoundingClientRect();
  return clientY < top + height / 2 ? 'before' : 'after';
};

/**
 * Makes a row draggable by its grip and a place to drop rows of the same list. What is seen of it is said on the element
 * (`data-dragging`, `data-drop`), so that no row is drawn again while the pointer moves.
 */
export function makeDraggable(
  row: HTMLElement,
  { list, id, drop }: { list: symbol; id: string; drop: (id: string, target: string, edge: Edge) => void },
): () => void {
  const grip = row.querySelector('[data-grip]');
  if (!grip) return () => undefined;
  const unmark = () => delete row.dataset.drop;
  return combine(
    draggable({
      element: row,
      dragHandle: grip,
      getInitialData: () => ({ list, id }),
      onDragStart: () => {
        row.dataset.dragging = 'true';
      },
      onDrop: () => delete row.dataset.dragging,
    }),
    dropTargetForElements({
      element: row,
      canDrop: ({ source }) => source.data.list === list && source.data.id !== id,
      onDrag: ({ location }) => {
        row.dataset.drop = edgeOf(row, location.current.input.clientY);
      },
      onDragLeave: unmark,
      onDrop: ({ source, location }) => {
        unmark();
        drop(String(source.data.id), id, edgeOf(row, location.current.input.clientY));
      },
    }),
  );
}
