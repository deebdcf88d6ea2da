import { useEffect } from 'react';
import { getSession } from '../api/session.ts';
import { navigate } from '../navigate.ts';
import { getPreferences, setPreference } from '../preferences.ts';
import { jumps } from './menu.ts';
import { getOverlay, openOverlay } from './overlay.ts';

/** Two keys count as one jump when the second comes within this time. */
const JUMP_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('input, textarea, select, dialog, [role="dialog"], [role="menu"], [data-typing]') !==
      null);

/** Something stands before the page, or is on its way: no key may reach behind it. */
const isCovered = (): boolean =>
  getOverlay() !== null || document.querySelector('[aria-modal="true"]') !== null;

/** The keys of the whole console: Ctrl or ⌘ K, ?, [, and g + letter. Silent while somebody types. */
export function useKeys(): void {
  useEffect(() => {
    let jumpUntil = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (key === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
        if (getSession() === null) return;
        event.preventDefault();
        jumpUntil = 0;
        if (!isCovered()) openOverlay('palette');
        return;
      }
      if (isCovered()) {
        jumpUntil = 0;
        if (key === 'escape' && !isTyping(event.target)) openOverlay(null); // what has not arrived cannot hear it
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing || isTyping(event.target))
        return;
      const jumping = event.timeStamp < jumpUntil;
      jumpUntil = 0;
      if (jumping) {
        const page = jumps.find(({ jump }) => jump === key);
        if (page) {
          event.preventDefault();
          navigate(page.path);
        }
        return;
      }
      if (key === 'g') jumpUntil = event.timeStamp + JUMP_MS;
      if (key === '?') {
        event.preventDefault();
        openOverlay('keys');
      }
      if (key === '[') setPreference('leftBarCollapse', !getPreferences().leftBarCollapse);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
