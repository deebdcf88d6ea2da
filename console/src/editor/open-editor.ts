import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, nextDiagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import {
  completionSource,
  type EditorLanguage,
  type Explain,
  loadLanguage,
  type Suggest,
} from './languages.ts';
import { look } from './look.ts';
import type { Problem } from './problem.ts';

/** What can be told anew while the editor stands. */
export interface EditorSettings {
  language: EditorLanguage;
  label: string;
  invalid: boolean;
  readOnly: boolean;
  placeholder: string;
  suggest: Suggest | undefined;
  explain: Explain | undefined;
  phrases: Readonly<Record<string, string>>;
}

export interface Editor {
  configure(settings: EditorSettings): void;
  /** A text that was not typed here; the cursor stays where it can. */
  setText(text: string): void;
  setProblems(problems: readonly Problem[]): void;
  goTo(line: number, column: number | undefined): void;
  focus(): void;
  destroy(): void;
}

/** The id of the description within the shadow root, where ids of the page cannot be reached. */
export const ABOUT = 'about';

/**
 * CodeMirror within a shadow root: there its sheets are adopted ones, which the page's policy allows, while outside it
 * would write `<style>` elements.
 */
export function openEditor(
  root: ShadowRoot,
  {
    text,
    settings,
    onText,
    onBlur,
  }: {
    text: string;
    settings: EditorSettings;
    onText: (text: string) => void;
    onBlur: () => void;
  },
): Editor {
  const configured = new Compartment();
  const spoken = new Compartment();
  const completed = new Compartment();
  const explained = new Compartment();
  const host = root.host;
  let told = false; // a text from outside is not told back
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        lintGutter(),
        EditorView.lineWrapping,
        // No binding of Tab: it leaves the editor as it leaves every field.
        keymap.of([
          { key: 'F8', run: nextDiagnostic },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        look,
        configured.of(extensionsFor(settings)),
        spoken.of([]),
        completed.of(completionFor(settings)),
        explained.of(explanationFor(settings)),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !told) onText(state.doc.toString());
          // Escape then closes the suggestions and not the drawer around the editor, which listens on the window.
          const suggesting = completionStatus(state) !== null;
          host.setAttribute('data-mantine-stop-propagation', String(suggesting));
        }),
        EditorView.domEventHandlers({ blur: () => onBlur(), beforeinput: typeWithoutStyles }),
      ],
    }),
  });
  let last = settings;
  let gone = false;
  const speak = (language: EditorLanguage) =>
    loadLanguage(language).then(
      (extension) => {
        if (!gone && last.language === language) view.dispatch({ effects: spoken.reconfigure(extension) });
      },
      () => undefined, // without its colours the text can still be written
    );
  void speak(settings.language);
  return {
    configure(next) {
      if (same(last, next)) return;
      const before = last;
      last = next;
      if (before.language !== next.language) void speak(next.language);
      const effects = [configured.reconfigure(extensionsFor(next))];
      // Told anew for any other reason, suggestions that are open would close while somebody chooses.
      if (before.suggest !== next.suggest) effects.push(completed.reconfigure(completionFor(next)));
      if (before.explain !== next.explain) effects.push(explained.reconfigure(explanationFor(next)));
      view.dispatch({ effects });
    },
    setText(next) {
      const { doc } = view.state;
      if (doc.toString() === next) return;
      told = true;
      view.dispatch({
        changes: { from: 0, to: doc.length, insert: next },
        selection: { anchor: Math.min(view.state.selection.main.head, next.length) },
      });
      told = false;
    },
    setProblems(problems) {
      const { doc } = view.state;
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((one) => diagnosticOf(doc, one)),
        ),
      );
    },
    goTo(line, column) {
      const place = lineAt(view.state.doc, line);
      const anchor = Math.min(place.from + (column ?? 1) - 1, place.to);
      view.focus();
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    },
    focus: () => view.focus(),
    destroy() {
      gone = true;
      view.destroy();
    },
  };
}

/**
 * A browser that replaces a selection by itself writes `style` attributes to keep its looks, which the page's policy
 * refuses and reports. So what is typed goes straight into the document.
 */
function typeWithoutStyles(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  const typed = inputType === 'insertText' && data !== null ? data : undefined;
  const text = typed ?? (/^delete/.test(inputType) ? '' : undefined);
  const { state } = view;
  const { from, to, empty } = state.selection.main;
  if (text === undefined || isComposing || view.composing || state.readOnly || (text === '' && empty))
    return false;
  const insert = () =>
    state.update(state.replaceSelection(text), {
      scrollIntoView: true,
      userEvent: text === '' ? 'delete.selection' : 'input.type',
    });
  const handlers = typed === undefined ? [] : state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

const same = (a: EditorSettings, b: EditorSettings): boolean =>
  (Object.keys(a) as (keyof EditorSettings)[]).every((key) => a[key] === b[key]);

const lineAt = (doc: Text, line: number) => doc.line(Math.max(1, Math.min(doc.lines, line)));

function diagnosticOf(doc: Text, { line, column, endColumn, severity = 'error', text }: Problem): Diagnostic {
  const place = lineAt(doc, line);
  const from = Math.min(place.from + (column ?? 1) - 1, place.to);
  const to = endColumn === undefined ? place.to : Math.min(place.from + endColumn - 1, place.to);
  return { from, to: Math.max(from, to), severity, message: text };
}

const completionFor = ({ suggest }: EditorSettings): Extension =>
  autocompletion(
    suggest ? { override: [completionSource(suggest)], icons: false, aboveCursor: false } : { icons: false },
  );

const explanationFor = ({ explain }: EditorSettings): Extension =>
  explain
    ? hoverTooltip((view, offset) => {
        const found = explain(view.state.doc.toString(), offset);
        if (!found) return null;
        const { start, end, title, text } = found;
        return { pos: start, end, above: true, create: () => ({ dom: explanation(title, text) }) };
      })
    : [];

function explanation(title: string, text: string): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'cm-explanation';
  const name = document.createElement('code');
  name.textContent = title;
  const what = document.createElement('p');
  what.textContent = text;
  dom.append(name, what);
  return dom;
}

function extensionsFor({ label, invalid, readOnly, placeholder: empty, phrases }: EditorSettings): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    EditorState.phrases.of({ ...phrases }),
    placeholder(empty),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-describedby': ABOUT,
      // A text that cannot be changed can still be read and copied by keyboard.
      tabindex: '0',
      spellcheck: 'false',
      autocapitalize: 'off',
      autocorrect: 'off',
      ...(invalid ? { 'aria-invalid': 'true' } : {}),
    }),
  ];
}
