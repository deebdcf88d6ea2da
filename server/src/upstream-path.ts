/**
 * The path to ask the cluster for, exactly as it was sent, or null when it could mean something outside of the
 * API: the cluster or a proxy before it may decode and resolve `..` where we did not.
 */
export function upstreamPath(url: string, basePath: string): string | null {
  const [path, ...query] = url.split('?');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not pass
  if (/[\x00-\x20\x7f#\\]/.test(url)) return null;
  const segments = path!.split('/').slice(1);
  // Some servers cut path parameters off: `..;x` is `..` to them. The console encodes its semicolons.
  if (path!.includes(';')) return null;
  for (const [index, segment] of segments.entries()) {
    if (segment === '' && index < segments.length - 1) return null; // `//`
    if (!isPlainName(segment)) return null;
  }
  return basePath + path + (query.length > 0 ? `?${query.join('?')}` : '');
}

/** Names may hold an encoded slash (topics do), but no step of theirs may be `.` or `..`, decoded once or twice. */
function isPlainName(segment: string): boolean {
  let name = segment;
  for (let round = 0; round < 2; round++) {
    try {
      name = decodeURIComponent(name);
    } catch {
      return round > 0; // `%zz` is no encoding; a decoded name like `50%` is just a name
    }
    if (name.includes('\0') || name.split(/[/\\]/).some((step) => step === '.' || step === '..'))
      return false;
  }
  return true;
}
