/** Whether what is published to a topic with placeholders can reach a filter. */

/** `out/${clientid}/x` may be any `out/+/x`. */
export const filterOfTemplate = (template: string): string =>
  template
    .replace(/\$\{[^}]*\}/g, '\0')
    .split('/')
    .map((level) => (level.includes('\0') ? '+' : level))
    .join('/');

/** Is there a topic that both match. */
export function filtersMeet(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  // Wildcards at the beginning leave topics with `$` alone. [MQTT-4.7.2-1]
  const hidden = (one: string) => one.startsWith('$');
  const wild = (one: string) => one.startsWith('+') || one.startsWith('#');
  if ((hidden(a) && wild(b)) || (hidden(b) && wild(a))) return false;
  return levelsMeet(a.split('/'), b.split('/'));
}

function levelsMeet(a: readonly string[], b: readonly string[]): boolean {
  for (let at = 0; ; at++) {
    const one = a[at];
    const other = b[at];
    if (one === '#' || other === '#') return true; // it matches its parent too
    if (one === undefined && other === undefined) return true;
    if (one === undefined) return other === '#';
    if (other === undefined) return false;
    if (one !== other && one !== '+' && other !== '+') return false;
  }
}
