type Path = readonly PropertyKey[];

interface Container {
  readonly path: Path;
  /** The next item of a list; null = an object, whose names come as texts. */
  index: number | null;
  name: string | null;
  readonly names: Set<string>;
}

export interface JsonPlaces {
  /** The line of what a path leads to, or of the last on the way that there is. */
  lineOf(path: Path): number;
  /** A name that an object has twice, of which only the last would count. */
  readonly twice: Path | null;
}

/** The signs of a JSON text; of a text in quotes it takes piece by piece, however long it is. */
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** No settings are nested so deep; what is, has no place. */
const DEPTH_MAX = 50;

const keyOf = (path: Path): string => JSON.stringify(path);

/** Where in a text, which must be JSON, everything stands. */
export function jsonPlaces(text: string): JsonPlaces {
  const places = new Map<string, number>([[keyOf([]), 0]]);
  const open: Container[] = [];
  let twice: Path | null = null;
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === ':') continue;
    if (open.length > DEPTH_MAX) break;
    if (token === ',') {
      if (inside && inside.index !== null) inside.index++;
      if (inside) inside.name = null;
    } else if (token === '}' || token === ']') open.pop();
    else if (inside && inside.index === null && inside.name === null) {
      const name = JSON.parse(token) as string;
      if (inside.names.has(name)) twice ??= [...inside.path, name];
      inside.names.add(name);
      inside.name = name;
      places.set(keyOf([...inside.path, name]), at);
    } else {
      const path = inside ? [...inside.path, inside.index ?? inside.name!] : [];
      if (inside?.index != null) places.set(keyOf(path), at);
      if (token === '{' || token === '[')
        open.push({ path, index: token === '[' ? 0 : null, name: null, names: new Set() });
    }
  }
  const lineOf = (path: Path): number => {
    let found: number | undefined;
    for (let length = path.length; found === undefined; length--)
      found = places.get(keyOf(path.slice(0, length)));
    return text.slice(0, found).split('\n').length;
  };
  return { lineOf, twice };
}
