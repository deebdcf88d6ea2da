/** The name by which `compatibility` of a manifest means this broker; others are shown and bind nobody. */
const US = 'mqdeck';

type Version = readonly [major: number, minor: number, patch: number];

/** `>=1.2.3`, `^1.2`, `~1`, `1.2.x`; what stands behind `-` and `+` does not count. */
const BOUND =
  /^(>=|<=|>|<|=|\^|~)?v?(\d{1,6}|[x*])(?:\.(\d{1,6}|[x*]))?(?:\.(\d{1,6}|[x*]))?(?:[-+][\w.+-]*)?$/;

/**
 * Why a plugin cannot run on a broker of this version; null = it can. A range is bounds that all hold, and `||` between
 * ranges of which one must.
 */
export function misfit(compatibility: Readonly<Record<string, string>>, version: string): string | null {
  const range = compatibility[US];
  if (range === undefined) return null;
  const ours = boundOf(version);
  if (ours === null) throw new Error(`the broker has no version that can be compared: ${version}`);
  const alternatives = range.split('||').map((all) =>
    all
      .trim()
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/),
  );
  const bounds = alternatives.map((all) => all.map(boundOf));
  if (bounds.flat().includes(null)) return `compatibility: ${US}: "${range}" is no range of versions`;
  const fits = bounds.some((all) => all.every((bound) => bound !== null && holds(bound, ours.from)));
  return fits ? null : `it is made for ${US} ${range}, and this is ${version}`;
}

interface Bound {
  operator: string;
  from: Version;
  /** How many of the three numbers were said. */
  said: number;
}

function boundOf(text: string): Bound | null {
  const [, operator = '', ...parts] = BOUND.exec(text) ?? [];
  if (parts.length === 0) return null;
  const numbers = parts.map((part) => (part === undefined ? Number.NaN : Number(part)));
  const open = numbers.findIndex((one) => Number.isNaN(one));
  const said = open === -1 ? 3 : open;
  const [major = 0, minor = 0, patch = 0] = numbers.slice(0, said);
  return { operator, from: [major, minor, patch], said };
}

/** `to` is the first version behind all that the bound's own text names: `1.2` names 1.2.0 to 1.3.0. */
function holds({ operator, from, said }: Bound, ours: Version): boolean {
  const isFrom = compared(ours, from) >= 0;
  const named = said === 0 || compared(ours, raised(from, said - 1)) < 0;
  switch (operator) {
    case '>=':
      return isFrom;
    case '<':
      return !isFrom;
    case '>':
      return !named;
    case '<=':
      return named;
    case '^': {
      // The first number that is not 0 must stay
      const first = from.findIndex((one) => one > 0);
      return isFrom && (said === 0 || compared(ours, raised(from, first === -1 ? said - 1 : first)) < 0);
    }
    case '~':
      return isFrom && (said === 0 || compared(ours, raised(from, Math.min(said - 1, 1))) < 0);
    default:
      return isFrom && named;
  }
}

/** The next version that differs in that number. */
const raised = (version: Version, at: number): Version => [
  at === 0 ? version[0] + 1 : version[0],
  at === 1 ? version[1] + 1 : at < 1 ? 0 : version[1],
  at === 2 ? version[2] + 1 : 0,
];

function compared(a: Version, b: Version): number {
  const differs = a.findIndex((one, at) => one !== b[at]);
  return differs === -1 ? 0 : a[differs]! - b[differs]!;
}
