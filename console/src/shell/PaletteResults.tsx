import { clients } from '@mqdeck/contract/clients';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useAvailable } from '../api/features.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { getLanguage, setLanguage } from '../i18n/language.ts';
import { useWords } from '../i18n/words.ts';
import { navigate } from '../navigate.ts';
import { paths } from '../paths.ts';
import { getPreferences, getShownTheme, setPreference } from '../preferences.ts';
import { IconKeyboard, IconMoon, IconSettings, IconSignOut, IconSun, IconUser } from '../ui/icons.tsx';
import { State } from '../ui/State.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { allPages, groupOf } from './menu.ts';
import { openOverlay } from './overlay.ts';
import styles from './Palette.module.css';
import { pageTitles } from './page-words.ts';
import { signOut } from './sign-out.ts';
import { words } from './words.ts';

interface Entry {
  key: string;
  section: string;
  label: string;
  icon: ReactNode;
  /** What else it is found by. */
  also: string;
  aside?: ReactNode;
  deed?: boolean;
  run: () => unknown;
}

export interface PaletteResultsProps {
  text: string;
  /** Which one is marked; counts on past both ends. */
  at: number;
  onAt: (at: number) => void;
  optionId: (nr: number) => string;
  onCount: (count: number) => void;
  /** Enter was pressed, maybe before there was anything to choose. */
  entered: boolean;
  onEntered: () => void;
  close: () => void;
}

const CLIENTS_MAX = 8;
const TYPING_PAUSE_MS = 150;

/** What the palette finds: pages, deeds and clients. */
export function PaletteResults({
  text,
  at,
  onAt,
  optionId,
  onCount,
  entered,
  onEntered,
  close,
}: PaletteResultsProps) {
  const w = useWords(words);
  const list = useRef<HTMLDivElement>(null);
  const wanted = text.trim();
  const found = useClients(wanted);
  const fixed = useFixedEntries();
  const matching = fixed
    .filter(({ label, also }) => matches(wanted, `${label} ${also}`))
    .sort((a, b) => rank(wanted, a) - rank(wanted, b));
  const entries = [...matching, ...found.entries];
  const count = entries.length;
  const current = count === 0 ? 0 : ((at % count) + count) % count;

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => onCount(count), [onCount, count]);
  useEffect(() => {
    if (current !== at) onAt(current);
  }, [current, at, onAt]);

  const choose = (entry: Entry) => {
    close();
    void entry.run();
  };
  useEffect(() => {
    if (!entered) return;
    const entry = entries[current];
    if (entry === undefined && found.searching) return; // whoever is quicker than the answer waits for it
    onEntered();
    if (entry) choose(entry);
  });
  return (
    <div ref={list} role="presentation">
      {entries.map((entry, nr) => (
        <div key={entry.key} role="presentation">
          {entry.section !== entries[nr - 1]?.section && (
            <div className={styles.section} role="presentation">
              {entry.section}
            </div>
          )}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys */}
          <div
            id={optionId(nr)}
            role="option"
            aria-selected={nr === current}
            className={styles.entry}
            onMouseMove={() => onAt(nr)}
            onClick={() => choose(entry)}
          >
            {entry.icon}
            <span className={styles.label}>{entry.label}</span>
            {entry.aside && <span className={styles.aside}>{entry.aside}</span>}
          </div>
        </div>
      ))}
      {found.searching && <p className={styles.note}>{w.searching}</p>}
      {count === 0 && !found.searching && (
        <p className={styles.note}>{w.noMatch({ text: visibleText(wanted) })}</p>
      )}
    </div>
  );
}

/** Every word typed is somewhere in it. */
const matches = (wanted: string, text: string): boolean => {
  const there = text.toLocaleLowerCase();
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => there.includes(word));
};

/** Pages before deeds; among each, what is called so before what merely has to do with it. */
function rank(wanted: string, { label, deed }: Entry): number {
  const [name, text] = [label.toLocaleLowerCase(), wanted.toLocaleLowerCase()];
  const distance = name.startsWith(text) ? 0 : name.includes(` ${text}`) ? 1 : name.includes(text) ? 2 : 3;
  return (deed ? 10 : 0) + distance;
}

/** Pages and deeds, found by their names in either language and by their address. */
function useFixedEntries(): Entry[] {
  const w = useWords(words);
  const titles = useWords(pageTitles);
  const pages = allPages.map(({ id, path, icon: Sign, jump }): Entry => {
    const group = groupOf(id);
    return {
      key: id,
      section: w.pages,
      label: titles[id],
      icon: <Sign size={16} />,
      also: `${pageTitles[id].en} ${pageTitles[id].zh} ${path} ${group ? words[group.id].en : ''}`,
      aside: jump ? (
        <>
          <kbd>g</kbd> <kbd>{jump}</kbd>
        </>
      ) : (
        group && w[group.id]
      ),
      run: () => navigate(path),
    };
  });
  const otherTheme = getShownTheme() === 'dark' ? 'light' : 'dark';
  const deed = (key: string, label: string, icon: ReactNode, also: string, run: () => unknown): Entry => ({
    key,
    section: w.actions,
    deed: true,
    label,
    icon,
    also,
    run,
  });
  const deeds = [
    ...(getPreferences().syncOsTheme
      ? []
      : [
          deed(
            'theme',
            otherTheme === 'light' ? w.toLight : w.toDark,
            otherTheme === 'light' ? <IconSun size={16} /> : <IconMoon size={16} />,
            'theme dark light 主题',
            () => setPreference('theme', otherTheme),
          ),
        ]),
    deed('language', w.switchLanguage, <IconSettings size={16} />, 'language english chinese 语言 中文', () =>
      setLanguage(getLanguage() === 'en' ? 'zh' : 'en'),
    ),
    deed('keys', w.keyboard, <IconKeyboard size={16} />, 'keyboard shortcuts ? 快捷键', () =>
      openOverlay('keys'),
    ),
    deed('sign-out', w.signOut, <IconSignOut size={16} />, 'log out sign out logout 退出', signOut),
  ];
  return [...pages, ...deeds];
}

/** Clients whose id contains what is typed. */
function useClients(wanted: string): { entries: Entry[]; searching: boolean } {
  const w = useWords(words);
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const asked = useDeferredValue(settled);
  const available = useAvailable(clients.list);
  const enabled = available && asked.length >= 2;
  const { data, isFetching } = useEndpoint(
    clients.list,
    { query: { like_clientid: asked, limit: CLIENTS_MAX } },
    { enabled, progress: false, quiet: true },
  );
  if (wanted.length < 2 || !available) return { entries: [], searching: false };
  const rows = enabled && asked === wanted ? (data?.data ?? []).slice(0, CLIENTS_MAX) : [];
  return {
    searching: asked !== wanted || isFetching,
    entries: rows.flatMap(({ clientid, connected, username }): Entry[] =>
      clientid === undefined
        ? []
        : [
            {
              key: `client ${clientid}`,
              section: w.clients,
              label: visibleText(clientid),
              icon: <IconUser size={16} />,
              also: username ?? '',
              aside: <State is={connected ? 'connected' : 'disconnected'} />,
              run: () => navigate(paths.client(clientid)),
            },
          ],
    ),
  };
}
