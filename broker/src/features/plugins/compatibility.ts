import semver from 'semver';

/** The name by which `compatibility` of a manifest means this broker; others are shown and bind nobody. */
const US = 'mqdeck';

/**
 * Why a plugin cannot run on a broker of this version; null = it can. Ranges are those of npm. A version on the way to
 * the next one counts as that.
 */
export function misfit(compatibility: Readonly<Record<string, string>>, version: string): string | null {
  const range = compatibility[US];
  if (range === undefined) return null;
  if (semver.validRange(range) === null) return `compatibility: ${US}: "${range}" is no range of versions`;
  const { major, minor, patch } = new semver.SemVer(version);
  const fits = semver.satisfies(`${major}.${minor}.${patch}`, range);
  return fits ? null : `it is made for ${US} ${range}, and this is ${version}`;
}
