import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { CopyButton } from '../ui/Copyable.tsx';
import classes from './editor.module.css';
import { editorModule } from './editor-module.ts';
import { jsonProblems } from './json-problems.ts';
import type { EditorLanguage, Explain, Suggest } from './languages.ts';
import type { Editor, EditorSettings } from './open-editor.ts';
import { ProblemList } from './ProblemList.tsx';
import { type CheckText, inOrderOfLines, type Problem } from './problem.ts';
import { words } from './words.ts';

/** Rows that stand without scrolling: at least and at most. */
export type EditorSize = 'small' | 'medium' | 'large';

/** Where the cursor is asked to go; a new object asks again. */
export interface Place {
  line: number;
  column?: number | undefined;
}

export interface CodeEditorProps {
  /** Of the element that takes the place of an input: what a label names. */
  id?: string | undefined;
  label: string;
  value: string;
  onChange: (text: string) => void;
  onBlur?: (() => void) | undefined;
  language: EditorLanguage;
  size?: EditorSize | undefined;
  readOnly?: boolean | undefined;
  placeholder?: string | undefined;
  /** Hint and error of the field around it: read out with the editor. */
  description?: string | undefined;
  invalid?: boolean | undefined;
  /** Runs while somebody types. JSON is checked without it. A stable function. */
  check?: CheckText | undefined;
  /** What somebody else has found, as the broker: shown beside the own findings. A stable list. */
  found?: readonly Problem[] | undefined;
  /** A stable function. */
  suggest?: Suggest | undefined;
  /** A stable function. */
  explain?: Explain | undefined;
  reveal?: Place | undefined;
}

/** How long nobody types before the text is checked. */
const CHECK_AFTER_MS = 250;
const NOTHING: readonly Problem[] = [];

/** A text in a language: highlighted, checked, completed. Its machinery is loaded when the first one is shown. */
export function CodeEditor({
  id,
  label,
  value,
  onChange,
  onBlur,
  language,
  size = 'medium',
  readOnly = false,
  placeholder = '',
  description,
  invalid = false,
  check,
  found = NOTHING,
  suggest,
  explain,
  reveal,
}: CodeEditorProps) {
  const w = useWords(words);
  const ownId = useId();
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor>(undefined);
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');

  const problems = useProblems({ value, language, check, found });
  const wrong = invalid || problems.some(({ severity }) => severity !== 'warning');
  const settings = useMemo<EditorSettings>(
    () => ({
      language,
      label,
      invalid: wrong,
      readOnly,
      placeholder,
      suggest,
      explain,
      phrases: { Completions: w.completions, 'Control character': w.controlCharacter },
    }),
    [language, label, wrong, readOnly, placeholder, suggest, explain, w],
  );
  const about = [description, readOnly ? w.keysReadOnly : w.keys].filter(Boolean).join(' ');

  /** Texts typed here that have not come back as `value` yet: whoever types fast is ahead of them. */
  const typed = useRef<string[]>([]);
  const latest = useRef({ value, settings, problems, about, onChange, onBlur });
  latest.current = { value, settings, problems, about, onChange, onBlur };

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let gone = false;
    editorModule.load().then(
      ({ openEditor, ABOUT }) => {
        if (gone) return;
        const root = element.shadowRoot ?? element.attachShadow({ mode: 'open', delegatesFocus: true });
        root.append(aboutElement(ABOUT, latest.current.about));
        const now = latest.current;
        editor.current = openEditor(root, {
          text: now.value,
          settings: now.settings,
          onText: (text) => {
            typed.current.push(text);
            latest.current.onChange(text);
          },
          onBlur: () => latest.current.onBlur?.(),
        });
        editor.current.setProblems(now.problems);
        setState('ready');
      },
      () => {
        if (!gone) setState('failed');
      },
    );
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = undefined;
      element.shadowRoot?.replaceChildren();
    };
  }, []);

  // A label names inputs only; to whoever clicks it this one should be none the less.
  useEffect(() => {
    const onClick = ({ target }: MouseEvent) => {
      const named = target instanceof Element ? target.closest('label')?.htmlFor : undefined;
      if (id !== undefined && named === id) editor.current?.focus();
    };
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, [id]);
  useEffect(() => {
    if (reveal) editor.current?.goTo(reveal.line, reveal.column);
  }, [reveal]);
  useEffect(() => editor.current?.configure(settings), [settings]);
  useEffect(() => {
    const at = typed.current.lastIndexOf(value);
    // One of those is no news; anything else was not typed here
    typed.current = at === -1 ? [] : typed.current.slice(at + 1);
    if (at === -1) editor.current?.setText(value);
  }, [value]);
  useEffect(() => editor.current?.setProblems(problems), [problems]);
  useEffect(() => {
    const element = host.current?.shadowRoot?.getElementById('about');
    if (element) element.textContent = about;
  }, [about]);

  const goTo = ({ line, column = 1 }: Place) => {
    if (editor.current) editor.current.goTo(line, column);
    const at =
      value
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? column : column - 1);
    plain.current?.focus();
    plain.current?.setSelectionRange(at, at);
  };
  return (
    <div className={classes.editor}>
      {state === 'failed' ? (
        <>
          <textarea
            ref={plain}
            id={id}
            className={classes.plain}
            aria-label={label}
            aria-describedby={description ? `${ownId}-about` : undefined}
            aria-invalid={wrong || undefined}
            value={value}
            readOnly={readOnly}
            placeholder={placeholder}
            spellCheck={false}
            rows={ROWS[size]}
            onChange={(event) => onChange(event.currentTarget.value)}
            onBlur={onBlur}
          />
          {description && (
            <span id={`${ownId}-about`} hidden>
              {description}
            </span>
          )}
        </>
      ) : (
        <div
          className={classes.frame}
          data-invalid={wrong || undefined}
          data-readonly={readOnly || undefined}
        >
          {/* Events leave the shadow root as if they came from this element: so the page knows that somebody types. */}
          <div
            ref={host}
            id={id}
            className={classes.host}
            data-size={size}
            data-typing
            data-wrong-text={wrong || undefined}
          />
          {state === 'loading' && <div className={classes.loading} role="status" aria-label={w.loading} />}
          <div className={classes.corner}>
            <CopyButton text={value} label={w.copy({ name: label })} />
          </div>
        </div>
      )}
      <ProblemList label={label} problems={problems} goTo={goTo} />
    </div>
  );
}

const ROWS = { small: 3, medium: 8, large: 18 } as const;

/** Seen by nobody, read by those who hear the page; it must stand where the editor stands. */
function aboutElement(id: string, text: string): HTMLElement {
  const element = document.createElement('p');
  element.id = id;
  element.hidden = true;
  element.textContent = text;
  return element;
}

/** What is wrong with the text, a moment after the last key, and what others have found. */
function useProblems({
  value,
  language,
  check,
  found,
}: Pick<CodeEditorProps, 'value' | 'language' | 'check'> & {
  found: readonly Problem[];
}): readonly Problem[] {
  const w = useWords(words);
  const checked = useMemo<CheckText | undefined>(
    () =>
      check ??
      (language === 'json' ? (text) => (text.trim() === '' ? NOTHING : jsonProblems(text, w)) : undefined),
    [check, language, w],
  );
  const [own, setOwn] = useState<readonly Problem[]>(() => checked?.(value) ?? NOTHING);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (!checked) {
      setOwn(NOTHING);
      return;
    }
    const timer = setTimeout(() => setOwn(checked(value)), CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value, checked]);
  return useMemo(() => inOrderOfLines([...own, ...found]), [own, found]);
}
