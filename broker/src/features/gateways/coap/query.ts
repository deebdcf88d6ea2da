/** What EMQX's devices may write shortly to save bytes. */
const SHORT: Readonly<Record<string, string>> = {
  c: 'clientid',
  u: 'username',
  p: 'password',
  t: 'token',
  q: 'qos',
  r: 'retain',
};

/** `a=1` of each Uri-Query; the first of a name counts. */
export function readQuery(texts: readonly string[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const value = at === -1 ? '' : text.slice(at + 1);
    const whole = Object.hasOwn(SHORT, name) ? SHORT[name]! : name;
    if (!query.has(whole)) query.set(whole, value);
  }
  return query;
}
