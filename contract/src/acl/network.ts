/** An IPv4 or IPv6 address as its bytes, in groups of 16 bits; IPv4 inside IPv6 counts as IPv4. */
type Groups = readonly number[];

export interface Network {
  readonly groups: Groups;
  readonly bits: number; // how many must be equal
}

const V4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function parseV4(text: string): Groups | null {
  const match = V4.exec(text);
  if (!match) return null;
  const bytes = match.slice(1).map(Number);
  // A leading zero means octal to some and decimal to others
  if (match.slice(1).some((part, i) => bytes[i]! > 255 || String(bytes[i]) !== part)) return null;
  return [bytes[0]! * 256 + bytes[1]!, bytes[2]! * 256 + bytes[3]!];
}

function parseV6(text: string): Groups | null {
  if (text.length > 45 || !/^[0-9A-Fa-f:.]+$/.test(text)) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half, i) => groupsOf(half, i === halves.length - 1));
  if (!head || tail === null) return null;
  if (tail === undefined) return head.length === 8 ? head : null;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? null : [...head, ...Array<number>(missing).fill(0), ...tail];
}

/** The groups of one side of `::`; an IPv4 address may be the last of them. */
function groupsOf(half: string, last: boolean): Groups | null {
  if (half === '') return [];
  const groups: number[] = [];
  const parts = half.split(':');
  for (const [i, part] of parts.entries()) {
    const v4 = last && i === parts.length - 1 && part.includes('.') ? parseV4(part) : null;
    if (v4) groups.push(...v4);
    else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}

const isMapped = (groups: Groups): boolean =>
  groups.length === 8 && groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

export function parseAddress(text: string): Groups | null {
  const groups = parseV4(text) ?? parseV6(text);
  return groups !== null && isMapped(groups) ? groups.slice(6) : groups;
}

/** `10.0.0.1`, `10.0.0.0/8`, `fe80::/10`; null when it is neither address nor network. */
export function parseNetwork(text: string): Network | null {
  const slash = text.indexOf('/');
  const groups = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (!groups) return null;
  const max = groups.length * 16;
  if (slash < 0) return { groups, bits: max };
  const length = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(length)) return null;
  // `::ffff:10.0.0.0/104` counts the bits of the whole
  const bits = Number(length) - (text.includes(':') && max === 32 ? 96 : 0);
  return bits < 0 || bits > max ? null : { groups, bits };
}

export function inNetwork({ groups, bits }: Network, address: Groups): boolean {
  if (groups.length !== address.length) return false;
  for (let i = 0, left = bits; left > 0; i++, left -= 16) {
    const mask = left >= 16 ? 0xffff : (0xffff << (16 - left)) & 0xffff;
    if (((groups[i]! ^ address[i]!) & mask) !== 0) return false;
  }
  return true;
}
