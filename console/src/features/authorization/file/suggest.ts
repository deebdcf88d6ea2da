import type { Suggest, Suggestion } from '../../../editor/languages.ts';
import { getLanguage } from '../../../i18n/language.ts';
import { wordsIn } from '../../../i18n/words.ts';
import { suggestWords } from './suggest-words.ts';

/** What may stand where somebody types in an ACL file: found from the brackets and commas before it. */
export const suggestAcl: Suggest = (before) => {
  const w = wordsIn(suggestWords, getLanguage());
  const place = placeOf(before);
  if (place === null) return null;
  const { typed, quoted, path } = place;
  const is = (...names: string[]) => names.includes(path.join('.'));
  const answer = (suggestions: readonly Suggestion[]) => ({ length: typed.length, suggestions });

  if (quoted) {
    if (!is('rule.3[]', 'rule.3[].eq')) return null;
    const placeholder = /(\$\{?[\w.]*|%\w?)$/.exec(typed)?.[0];
    if (placeholder !== undefined) {
      return {
        length: placeholder.length,
        suggestions: [
          { label: '${clientid}', detail: w.clientid },
          { label: '${username}', detail: w.username },
          { label: '${client_attrs.NAME}', detail: w.attribute, insert: '${client_attrs.#{}}' },
        ],
      };
    }
    return typed === ''
      ? answer([
          { label: '$SYS/#', detail: w.sys },
          { label: '#', detail: w.everything },
          { label: '${clientid}/#', detail: w.own },
        ])
      : null;
  }
  if (is('')) {
    return answer([
      { label: '{allow, …}.', detail: w.allowRule, insert: '{allow, #{}, all, ["#"]}.' },
      { label: '{deny, …}.', detail: w.denyRule, insert: '{deny, #{}, all, ["#"]}.' },
      { label: '{allow, all}.', detail: w.allowAll },
      { label: '{deny, all}.', detail: w.denyAll },
    ]);
  }
  if (is('rule.0')) return answer([{ label: 'allow' }, { label: 'deny' }]);
  if (is('rule.1', 'rule.1.and[]', 'rule.1.or[]')) {
    const brace = typed.startsWith('{');
    const who = (name: string, value: string, detail: string): Suggestion => ({
      label: `${brace ? '{' : ''}${name}`,
      detail,
      insert: `{${name}, ${value}}`,
    });
    return answer([
      ...(brace ? [] : [{ label: 'all', detail: w.all }]),
      who('username', '"#{}"', w.username),
      who('clientid', '"#{}"', w.clientid),
      who('ipaddr', '"#{}"', w.address),
      who('ipaddrs', '["#{}"]', w.addresses),
      who('client_attr', '"#{}", ""', w.attribute),
      who('listener', '"#{}"', w.listener),
      who('zone', '"#{}"', w.zone),
      who("'and'", '[#{}]', w.and),
      who("'or'", '[#{}]', w.or),
    ]);
  }
  if (is('rule.1.value')) return answer([{ label: '{re, …}', detail: w.pattern, insert: '{re, "#{}"}' }]);
  if (is('rule.2')) {
    return answer([
      { label: 'publish', detail: w.publish },
      { label: 'subscribe', detail: w.subscribe },
      { label: 'all', detail: w.both },
      { label: '{publish, […]}', detail: w.conditions, insert: '{publish, [{qos, #{}}, {retain, false}]}' },
      { label: '{subscribe, […]}', detail: w.conditions, insert: '{subscribe, [{qos, #{}}]}' },
    ]);
  }
  if (is('rule.3')) return answer([{ label: '["…"]', detail: w.topics, insert: '["#{}"]' }]);
  if (is('rule.3[]'))
    return answer([
      { label: '"…"', detail: w.topic, insert: '"#{}"' },
      { label: '{eq, …}', detail: w.eq, insert: '{eq, "#{}"}' },
    ]);
  return null;
};

interface Place {
  /** What of the word under the cursor is there already. */
  typed: string;
  quoted: boolean;
  /** `rule.1`: the second item of a rule; `rule.3[]`: an item of the list that is its fourth. */
  path: readonly string[];
}

/** Walks to the cursor and remembers which brackets are open. Null within a comment. */
function placeOf(before: string): Place | null {
  const open: { kind: '{' | '['; item: number; head: string }[] = [];
  let word = 0; // where the word under the cursor begins
  for (let at = 0; at < before.length; at += 1) {
    const char = before[at]!;
    if (char === '%') {
      const end = before.indexOf('\n', at);
      if (end < 0) return null;
      at = end;
      word = end + 1;
    } else if (char === '"') {
      const end = endOfText(before, at);
      if (end < 0) return { typed: before.slice(at + 1), quoted: true, path: pathOf(open) };
      at = end;
    } else if (char === '{' || char === '[') {
      open.push({ kind: char, item: 0, head: '' });
      word = at + 1;
    } else if (char === '}' || char === ']') {
      open.pop();
      word = at + 1;
    } else if (char === ',') {
      const inside = open.at(-1);
      if (inside) {
        if (inside.item === 0) inside.head = before.slice(word, at).trim().replaceAll("'", '');
        inside.item += 1;
      }
      word = at + 1;
    } else if (/\s/.test(char) || char === '.') word = at + 1;
  }
  // An opening brace before a word belongs to it: `{user` becomes `{username, "…"}`.
  const last = open.at(-1);
  const typed = before.slice(word);
  if (last?.kind === '{' && last.item === 0 && open.length > 1 && before[word - 1] === '{')
    return { typed: `{${typed}`, quoted: false, path: pathOf(open.slice(0, -1)) };
  return { typed, quoted: false, path: pathOf(open) };
}

function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function pathOf(open: readonly { kind: '{' | '['; item: number; head: string }[]): string[] {
  if (open.length === 0) return [''];
  const [rule, ...inner] = open;
  if (rule!.kind !== '{') return ['?'];
  let path = `rule.${rule!.item}`;
  for (const { kind, item, head } of inner) {
    if (kind === '[') path += '[]';
    else if ((head === 'and' || head === 'or') && item === 1) path += `.${head}`;
    else if (head === 'eq') path += '.eq';
    else path += '.value';
  }
  // A who within `and` and `or` is a who as any other.
  return [path.replace(/^(rule\.1\.(?:and|or)\[\])(?:\.(?:and|or)\[\])+/, '$1')];
}
