import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  getBezierPath,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  useStore,
} from '@xyflow/react';
import {
  createContext,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useContext,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Link } from '../Link.tsx';
import { IconFit, IconMinus, IconPlus } from '../ui/icons.tsx';
import './xyflow.css';
import styles from './graph.module.css';
import { type GraphEdge, type GraphNode, linksOf, type Point } from './graph.ts';
import { layoutOf, NODE } from './layout.ts';
import { stepFrom } from './walk.ts';

export interface CanvasNode extends GraphNode {
  /** Says all to those who do not see it, too. */
  content: ReactNode;
  /** `faint`: it is not there. `off`: it does nothing. */
  look: 'plain' | 'rule' | 'faint' | 'off';
  trouble: boolean;
  dim: boolean;
  hit: boolean;
  /** Enter and a click lead there … */
  to?: string | undefined;
  /** … or do this. */
  press?: (() => void) | undefined;
}

export interface CanvasEdge extends GraphEdge {
  label?: string | undefined;
  look: 'plain' | 'busy' | 'off' | 'broken' | 'loop';
  dim: boolean;
}

export interface CanvasWords {
  graph: string;
  keys: string;
  map: string;
  zoomIn: string;
  zoomOut: string;
  fit: string;
}

export interface CanvasHandle {
  /** Brings a node into view and gives it the focus. */
  goTo(id: string): void;
}

const ZOOM_MIN = 0.1;
const ZOOM_MAX = 2;
/** At the beginning nothing is smaller than what can be read. */
const ZOOM_READABLE = 0.75;
const LABELS_FROM_ZOOM = 0.45;

type CardNode = Node<{ of: CanvasNode }, 'card'>;
type DrawnEdge = Edge<{ of: CanvasEdge }, 'way'>;

/** Which card Tab leads to, and which one is looked at. */
const Stop = createContext<{ stop?: string | undefined; current?: string | undefined }>({});

/** Cards in columns with edges between them. It knows nothing of what they mean. */
export function GraphCanvas({
  nodes,
  edges,
  words,
  current,
  onCurrent,
  handle,
}: {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
  words: CanvasWords;
  /** The node that is looked at. */
  current: string | undefined;
  onCurrent: (id: string, by: 'focus' | 'pointer') => void;
  handle?: React.Ref<CanvasHandle>;
}) {
  const flow = useRef<ReactFlowInstance<CardNode, DrawnEdge>>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  const shape = JSON.stringify([
    nodes.map(({ id, column }) => [id, column]),
    edges.map(({ from, to, back }) => [from, to, back === true]),
  ]);
  // Figures change with every answer, the order only when something comes or goes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` says all that the layout looks at
  const places = useMemo(() => layoutOf(nodes, edges), [shape]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const links = useMemo(() => linksOf(edges), [shape]);

  const cards = useMemo(
    () =>
      nodes.map(
        (of): CardNode => ({
          id: of.id,
          type: 'card',
          position: places.get(of.id)!,
          data: { of },
          width: NODE.width,
          height: NODE.height,
        }),
      ),
    [nodes, places],
  );
  const ways = useMemo(
    () =>
      edges.map(
        (of): DrawnEdge => ({
          id: of.id,
          type: 'way',
          source: of.from,
          target: of.to,
          data: { of },
          // The cards say what they are joined to; a list of edges would only be in the way.
          domAttributes: { 'aria-hidden': true },
          markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: colourOf(of) },
        }),
      ),
    [edges],
  );

  const stop = useMemo(
    () => ({
      stop: current !== undefined && places.has(current) ? current : firstOf(nodes, places),
      current,
    }),
    [current, nodes, places],
  );
  /** It does not fit: a map helps. */
  const [large, setLarge] = useState(false);
  /** False while it is not drawn yet. */
  const focusOn = (id: string): boolean => {
    const point = places.get(id);
    const card = frame.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`);
    if (!point || !card || !flow.current) return false;
    bringIntoView(flow.current, frame.current, point);
    card.focus({ preventScroll: true });
    return document.activeElement === card;
  };
  /** Somebody wants to go to a node that is drawn only after this turn: an opened group. */
  const [wanted, setWanted] = useState<string>();
  useImperativeHandle(handle, () => ({ goTo: setWanted }), []);
  useEffect(() => {
    if (wanted === undefined || !places.has(wanted)) return;
    let next = 0;
    const attempt = () => {
      if (focusOn(wanted)) setWanted(undefined);
      else next = requestAnimationFrame(attempt);
    };
    attempt();
    return () => cancelAnimationFrame(next);
  });

  const fit = () => void flow.current?.fitView({ padding: 0.06, maxZoom: 1 });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const id = cardAt(event.target);
    if (event.key === '+' || event.key === '=') void flow.current?.zoomIn();
    else if (event.key === '-') void flow.current?.zoomOut();
    else if (event.key === '0') fit();
    else if (id !== undefined && /^(Arrow|Home$|End$)/.test(event.key)) {
      const next = stepFrom(id, event.key, { nodes, links, places });
      if (next !== undefined) focusOn(next);
    } else return;
    event.preventDefault();
  };

  return (
    <div ref={frame} className={styles.canvas}>
      <Stop value={stop}>
        <ReactFlow<CardNode, DrawnEdge>
          nodes={cards}
          edges={ways}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          aria-label={`${words.graph}. ${words.keys}`}
          ariaLabelConfig={{ 'minimap.ariaLabel': words.map }}
          onInit={(instance) => {
            flow.current = instance;
            setLarge(!beginAt(instance, frame.current, places));
          }}
          onNodeMouseEnter={(_, { id }) => onCurrent(id, 'pointer')}
          onFocus={({ target }) => {
            const id = cardAt(target);
            if (id !== undefined) onCurrent(id, 'focus');
          }}
          onKeyDown={onKeyDown}
          minZoom={ZOOM_MIN}
          maxZoom={ZOOM_MAX}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnDoubleClick={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          zoomActivationKeyCode={null}
        >
          {large && (
            <MiniMap<CardNode>
              className={styles.map}
              pannable
              zoomable
              nodeClassName={({ data: { of } }) =>
                (of.hit ? styles.mapHit : of.trouble ? styles.mapTrouble : styles.mapNode) ?? ''
              }
            />
          )}
        </ReactFlow>
      </Stop>
      <div className={styles.zoom}>
        <button
          type="button"
          aria-label={words.zoomIn}
          title={words.zoomIn}
          onClick={() => void flow.current?.zoomIn()}
        >
          <IconPlus size={15} />
        </button>
        <button
          type="button"
          aria-label={words.zoomOut}
          title={words.zoomOut}
          onClick={() => void flow.current?.zoomOut()}
        >
          <IconMinus size={15} />
        </button>
        <button type="button" aria-label={words.fit} title={words.fit} onClick={fit}>
          <IconFit size={15} />
        </button>
      </div>
    </div>
  );
}

const Card = memo(function Card({ id, data: { of } }: NodeProps<CardNode>) {
  const marks = useContext(Stop);
  const stop = marks.stop === id;
  const shared = {
    className: styles.card,
    'data-card': id,
    'data-look': of.look,
    'data-trouble': of.trouble || undefined,
    'data-dim': of.dim || undefined,
    'data-hit': of.hit || undefined,
    'data-current': marks.current === id || undefined,
    tabIndex: stop ? 0 : -1,
    draggable: false,
  };
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={styles.handle} />
      {of.to === undefined ? (
        <button type="button" {...shared} onClick={of.press}>
          {of.content}
        </button>
      ) : (
        <Link to={of.to} {...shared}>
          {of.content}
        </Link>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} className={styles.handle} />
    </>
  );
});

const Way = memo(function Way(props: EdgeProps<DrawnEdge>) {
  const { sourceX, sourceY, targetX, targetY, markerEnd } = props;
  const of = props.data!.of;
  const readable = useStore(({ transform }) => transform[2] >= LABELS_FROM_ZOOM);
  const [path, labelX, labelY] = of.back
    ? backPath(sourceX, sourceY, targetX, targetY)
    : getBezierPath({
        sourceX,
        sourceY,
        targetX,
        targetY,
        sourcePosition: Position.Right,
        targetPosition: Position.Left,
      });
  return (
    <g
      data-look={of.look}
      data-dim={of.dim || undefined}
      data-back={of.back || undefined}
      className={styles.line}
    >
      <BaseEdge
        path={path}
        markerEnd={markerEnd ?? ''}
        {...(readable && of.label !== undefined && !of.dim
          ? {
              label: of.label,
              labelX,
              labelY,
              labelShowBg: true,
              labelBgPadding: [4, 2],
              labelBgBorderRadius: 4,
            }
          : {})}
      />
    </g>
  );
});

/** Out to the right, below both ends, and in from the left. */
function backPath(fromX: number, fromY: number, toX: number, toY: number): [string, number, number] {
  const reach = 44;
  const low = Math.max(fromY, toY) + NODE.height / 2 + 9;
  const path = [
    `M${fromX} ${fromY}`,
    `C${fromX + reach} ${fromY} ${fromX + reach} ${low} ${fromX - reach} ${low}`,
    `L${toX + reach} ${low}`,
    `C${toX - reach} ${low} ${toX - reach} ${toY} ${toX} ${toY}`,
  ].join(' ');
  return [path, (fromX + toX) / 2, low];
}

const cardAt = (target: EventTarget): string | undefined =>
  (target as HTMLElement).closest<HTMLElement>('[data-card]')?.dataset.card;

const nodeTypes = { card: Card };
const edgeTypes = { way: Way };

const colourOf = ({ look, dim }: CanvasEdge): string =>
  dim
    ? 'var(--line)'
    : {
        plain: 'var(--control-line)',
        busy: 'var(--accent)',
        off: 'var(--control-line)',
        broken: 'var(--bad)',
        loop: 'var(--warn)',
      }[look];

const firstOf = (nodes: readonly CanvasNode[], places: ReadonlyMap<string, Point>): string | undefined =>
  nodes.reduce<CanvasNode | undefined>((best, node) => {
    if (!best) return node;
    const a = places.get(node.id)!;
    const b = places.get(best.id)!;
    return a.y < b.y || (a.y === b.y && a.x < b.x) ? node : best;
  }, undefined)?.id;

/** All of it where that can be read, else its upper left; says which. */
function beginAt(
  flow: ReactFlowInstance<CardNode, DrawnEdge>,
  frame: HTMLElement | null,
  places: ReadonlyMap<string, Point>,
): boolean {
  if (!frame || places.size === 0) return true;
  const margin = 24;
  const right = Math.max(...Array.from(places.values(), ({ x }) => x)) + NODE.width;
  const bottom = Math.max(...Array.from(places.values(), ({ y }) => y)) + NODE.height + 60;
  const inside = { width: frame.clientWidth - 2 * margin, height: frame.clientHeight - 2 * margin };
  const whole = Math.min(inside.width / right, inside.height / bottom, 1);
  const zoom = Math.max(whole, ZOOM_READABLE);
  void flow.setViewport({
    x: margin + Math.max(0, (inside.width - right * zoom) / 2),
    y: margin + Math.max(0, (inside.height - bottom * zoom) / 2),
    zoom,
  });
  return whole >= ZOOM_READABLE;
}

function bringIntoView(
  flow: ReactFlowInstance<CardNode, DrawnEdge>,
  frame: HTMLElement | null,
  { x, y }: Point,
): void {
  if (!frame) return;
  const view = flow.getViewport();
  const zoom = Math.max(view.zoom, ZOOM_READABLE);
  const left = x * view.zoom + view.x;
  const top = y * view.zoom + view.y;
  const inside =
    view.zoom === zoom &&
    left >= 0 &&
    top >= 0 &&
    left + NODE.width * zoom <= frame.clientWidth &&
    top + NODE.height * zoom <= frame.clientHeight;
  if (inside) return;
  void flow.setCenter(x + NODE.width / 2, y + NODE.height / 2, { zoom });
}
