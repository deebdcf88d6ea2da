import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colours are variables of the page, which reach into the shadow root: a switch of theme needs no work here. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: 'var(--size-table)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  // The sign for copying lies above the end of the first line.
  '.cm-line': { padding: '0 40px 0 6px' },
  '.cm-content ::selection': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-content::selection': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-gutters': {
    border: 'none',
    borderInlineEnd: '1px solid var(--line)',
    backgroundColor: 'transparent',
    color: 'var(--text-faint)',
    fontVariantNumeric: 'tabular-nums',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)', fontWeight: '600' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 8px', minWidth: '28px' },
  '.cm-gutter-lint': { width: '18px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 2px' },
  '.cm-lint-marker': { width: '14px', height: '20px', cursor: 'default' },
  '.cm-lint-marker-error, .cm-lint-marker-warning': { content: 'none' },
  '.cm-lint-marker-error::before': { content: '"✕"', color: 'var(--bad)', fontWeight: '600' },
  '.cm-lint-marker-warning::before': { content: '"!"', color: 'var(--warn)', fontWeight: '600' },
  '.cm-lintRange-error, .cm-lintRange-warning': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '3px' },
  '.cm-lintPoint::after': { display: 'none' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-name-to-fill-in, .cm-name-to-fill-in *': { color: 'var(--series-5)', fontWeight: '600' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': {
    maxWidth: 'min(480px, calc(100vw - 24px))',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--raised)',
    boxShadow: 'var(--shadow)',
    color: 'var(--text)',
  },
  '.cm-tooltip-lint': { padding: '0' },
  '.cm-diagnostic': {
    padding: '6px 10px',
    borderInlineStart: '3px solid var(--bad)',
    fontFamily: 'var(--font-text)',
    overflowWrap: 'anywhere',
    whiteSpace: 'normal',
  },
  '.cm-diagnostic-warning': { borderInlineStartColor: 'var(--warn)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '220px',
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--size-table)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px', lineHeight: '20px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: 'var(--accent)' },
  '.cm-completionDetail': {
    marginInlineStart: '10px',
    color: 'var(--text-secondary)',
    fontFamily: 'var(--font-text)',
    fontStyle: 'normal',
  },
  '.cm-explanation': { padding: '6px 10px', fontSize: 'var(--size-table)' },
  '.cm-explanation code': { fontFamily: 'var(--font-mono)', fontWeight: '600', overflowWrap: 'anywhere' },
  '.cm-explanation p': { margin: '2px 0 0', color: 'var(--text-secondary)' },
  '.cm-tooltip.cm-completionInfo': {
    padding: '6px 10px',
    fontFamily: 'var(--font-text)',
    whiteSpace: 'normal',
  },
});

/** Every colour here stands in tokens.test.ts with 4.5:1 on what lies behind it. */
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--series-4)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.integer, tags.float], color: 'var(--series-2)' },
  { tag: [tags.bool, tags.null, tags.atom, tags.standard(tags.name)], color: 'var(--series-1)' },
  { tag: [tags.propertyName, tags.typeName], color: 'var(--series-1)' },
  { tag: tags.macroName, color: 'var(--series-5)', fontWeight: '600' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--text-faint)' },
  { tag: [tags.punctuation, tags.operator, tags.bracket], color: 'var(--text-secondary)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** `${username}`, in whatever language around it. */
const toFillIn = new MatchDecorator({
  regexp: /\$\{[\w.]+\}/g,
  decoration: Decoration.mark({ class: 'cm-name-to-fill-in' }),
});
const namesToFillIn = ViewPlugin.define<{ shown: DecorationSet; update: (update: ViewUpdate) => void }>(
  (view) => ({
    shown: toFillIn.createDeco(view),
    update(update) {
      this.shown = toFillIn.updateDeco(update, this.shown);
    },
  }),
  { decorations: ({ shown }) => shown },
);

export const look: Extension = [theme, syntaxHighlighting(highlight), namesToFillIn];
