import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import * as z from 'zod/mini';
import { type Asked, Download, WithStatus } from './handlers.ts';

type AnyHandler = (request: Asked<Endpoint>) => unknown;

interface View {
  readonly endpoint: Endpoint;
  readonly answer: AnyHandler;
}

/** Shows the thing that a request is about; undefined where there is none. */
export type Look = () => Promise<unknown>;

/** Keeps what can be looked at without paging, by path: so the HTTP layer can see what a change has changed. */
export class Views {
  private readonly views = new Map<string, View>();
  private readonly parents = new Set<string>();

  add(endpoint: Endpoint, answer: AnyHandler): void {
    const { method, path, ok } = endpoint;
    const above = /^(.*?)(\/:\w+)+$/.exec(path)?.[1];
    if (above !== undefined) this.parents.add(above);
    if (method === 'GET' && ok.schema !== null && !isPaged(endpoint))
      this.views.set(path, { endpoint, answer });
  }

  /** Whether single things are below the path: what is posted to it is one more of them. */
  hasThings(path: string): boolean {
    return this.parents.has(path);
  }

  /** How to look at what a request is about: the thing that its path names, or itself in the list that has it. */
  lookFor({ path }: Endpoint, asked: Asked<Endpoint>): Look | null {
    for (const place of placesOf(path)) {
      const view = this.views.get(place);
      if (view) return () => seen(view, asked);
    }
    const [, list, name] = /^(.*)\/:(\w+)$/.exec(placesOf(path).at(-1) ?? '') ?? [];
    const view = list === undefined ? undefined : this.views.get(list);
    if (!view || name === undefined) return null;
    const wanted = (asked.params as Record<string, string>)[name];
    return async () => {
      const rows = await seen(view, asked);
      const isWanted = (row: unknown) => (Object(row) as Record<string, unknown>)[name] === wanted;
      return Array.isArray(rows) ? rows.find(isWanted) : undefined;
    };
  }
}

const isPaged = ({ query }: Endpoint): boolean =>
  query !== undefined && Object.hasOwn(shapeOf(query), 'page');

const shapeOf = (schema: z.ZodMiniType): object =>
  (schema._zod.def as unknown as { shape?: object }).shape ?? {};

/** The path itself, and the things above it: of `/listeners/:id/stop` also `/listeners/:id`. */
function placesOf(path: string): string[] {
  const parts = path.split('/');
  const places = [path];
  for (let length = parts.length - 1; length > 1; length--)
    if (parts[length - 1]!.startsWith(':')) places.push(parts.slice(0, length).join('/'));
  return places.filter((place, i) => i === 0 || place !== path);
}

/** What cannot be looked at is not there: the thing may be about to be made, or was removed. */
async function seen({ endpoint, answer }: View, asked: Asked<Endpoint>): Promise<unknown> {
  const query = z.safeParse(endpoint.query ?? z.object({}), {});
  if (!query.success) return undefined;
  try {
    const found = await answer({ ...asked, query: query.data, body: undefined } as Asked<Endpoint>);
    if (found instanceof Download) {
      found.content.destroy();
      return undefined;
    }
    const shown = found instanceof WithStatus ? found.body : found;
    return shown === undefined ? undefined : JSON.parse(JSON.stringify(shown));
  } catch {
    return undefined;
  }
}
