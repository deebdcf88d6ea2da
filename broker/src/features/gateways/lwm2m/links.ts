/** What a device says that it has, in the link format of RFC 6690: `</3/0>,</lwm2m>;rt="oma.lwm2m"`. */

export interface ObjectList {
  readonly alternatePath: string;
  /** `/1/0`, `/3/0` … without the alternate path. */
  readonly objects: readonly string[];
}

const LINKS_MAX = 10_000;

/** Each link with its attributes, as written; null when it is no list of links. */
export function splitLinks(text: string): string[] | null {
  const links: string[] = [];
  if (text.trim() === '') return links;
  let from = 0;
  let inside: '"' | '>' | null = null; // where a comma ends nothing
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (inside !== null) {
      if (char === undefined) return null;
      if (char === '\\' && inside === '"') at++;
      else if (char === inside) inside = null;
    } else if (char === '"') inside = '"';
    else if (char === '<') inside = '>';
    else if (char === ',' || char === undefined) {
      const link = text.slice(from, at).trim();
      if (!link.startsWith('<') || links.length >= LINKS_MAX) return null;
      links.push(link);
      from = at + 1;
    }
  }
  return links;
}

/** Null: it is no list of links. */
export function readObjectList(text: string): ObjectList | null {
  const links = splitLinks(text.trim());
  if (links === null) return null;
  const root = links.find((link) => /;\s*rt="?oma\.lwm2m"?/.test(link));
  const alternatePath = root ? targetOf(root) : '/';
  const prefix = alternatePath === '/' ? '' : alternatePath.replace(/\/$/, '');
  const objects = links
    .map(targetOf)
    .filter((target) => target.startsWith(`${prefix}/`))
    .map((target) => target.slice(prefix.length))
    .filter((target) => /^\/\d{1,5}(\/\d{1,5})?\/?$/.test(target))
    .map((target) => target.replace(/\/$/, ''));
  return { alternatePath, objects };
}

/** With the slash in front that some leave out. */
function targetOf(link: string): string {
  const target = /^<([^<>]*)>/.exec(link)?.[1] ?? '';
  return target.startsWith('/') ? target : `/${target}`;
}
