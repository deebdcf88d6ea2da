import { webAddress } from './plugin-state.ts';

/**
 * As much of Markdown as a readme needs, read into parts that hold text alone: whatever else stands in a stranger's
 * readme, HTML above all, is shown as the letters it is. Each step looks at a bounded piece, so that no text is slow.
 */

export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; parts: Inline[] }
  | { kind: 'link'; href: string; text: string };

export type Block =
  | { kind: 'heading'; level: number; parts: Inline[] }
  | { kind: 'paragraph' | 'quote'; parts: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'rule' };

const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s{0,8}(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;
const FENCE = /^\s{0,3}(```|~~~)/;
const RULE = /^\s{0,3}(?:(?:-\s?){3,}|(?:\*\s?){3,}|(?:_\s?){3,})$/;
const QUOTE = /^\s{0,3}>\s?(.*)$/;
/** Longer ones are text. */
const LINE_CHARS_MAX = 2000;

export function readReadme(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

type Found = readonly [Block | null, number];

function blockAt(lines: readonly string[], at: number): Found {
  const line = lines[at]!;
  if (line.trim() === '') return [null, at + 1];
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return codeAt(lines, at, fence);
  if (line.length <= LINE_CHARS_MAX) {
    const [, marks, title = ''] = HEADING.exec(line) ?? [];
    if (marks !== undefined)
      return [{ kind: 'heading', level: marks.length, parts: readInline(withoutEnd(title)) }, at + 1];
    if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
    if (ITEM.test(line)) return listAt(lines, at);
    if (QUOTE.test(line)) return gathered(lines, at, 'quote', (one) => QUOTE.exec(one)?.[1]);
  }
  return gathered(lines, at, 'paragraph', (one, i) => (i === at || !begins(one) ? one : undefined));
}

/** A line that ends the paragraph before it. */
const begins = (line: string): boolean =>
  line.trim() === '' ||
  (line.length <= LINE_CHARS_MAX && [HEADING, ITEM, FENCE, RULE, QUOTE].some((form) => form.test(line)));

/** `# Title ##` */
const withoutEnd = (title: string): string => title.trimEnd().replace(/\s#{1,6}$/, '');

function codeAt(lines: readonly string[], at: number, fence: string): Found {
  let end = at + 1;
  while (end < lines.length && !lines[end]!.trimStart().startsWith(fence)) end++;
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function listAt(lines: readonly string[], at: number): Found {
  const ordered = ITEM.exec(lines[at]!)![1] === undefined;
  const items: string[] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    const [, mark, text] = (line.length <= LINE_CHARS_MAX && ITEM.exec(line)) || [];
    if (text !== undefined && (mark === undefined) === ordered) items.push(text);
    else if (begins(line)) break;
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return [{ kind: 'list', ordered, items: items.map(readInline) }, end];
}

function gathered(
  lines: readonly string[],
  at: number,
  kind: 'paragraph' | 'quote',
  textOf: (line: string, index: number) => string | undefined,
): Found {
  const texts: string[] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const text = textOf(lines[end]!, end);
    if (text === undefined) break;
    texts.push(text);
  }
  return [{ kind, parts: readInline(texts.join('\n')) }, end];
}

/** Pictures are shown by their words: a readme makes no requests. */
const INLINE =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|__([^_\n]{1,500})__|\*([^*\s][^*\n]{0,500})\*|(?<![\p{L}\p{N}])_([^_\s][^_\n]{0,500})_(?![\p{L}\p{N}])|!?\[([^\]\n]{0,500})\]\(\s{0,4}([^()\s]{0,1000})(?:\s{1,4}"[^"\n]{0,200}")?\s{0,4}\)|<(https?:\/\/[^\s<>]{1,1000})>/giu;

function readInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) parts.push({ kind: 'text', text: text.slice(at, match.index) });
    parts.push(partOf(match));
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

function partOf([whole, code, strong1, strong2, em1, em2, label, target, auto]: RegExpExecArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code };
  const strong = strong1 ?? strong2;
  if (strong !== undefined) return { kind: 'strong', parts: readInline(strong) };
  const emphasis = em1 ?? em2;
  if (emphasis !== undefined) return { kind: 'emphasis', parts: readInline(emphasis) };
  if (auto !== undefined) return linked(auto, auto);
  if (whole.startsWith('!')) return { kind: 'text', text: label ?? '' };
  return linked(target, label || (target ?? ''));
}

/** An address that leads anywhere but into the web is text. */
function linked(target: string | undefined, text: string): Inline {
  const href = webAddress(target);
  return href === undefined ? { kind: 'text', text } : { kind: 'link', href, text };
}
