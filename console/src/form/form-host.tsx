import { createContext, useContext, useEffect } from 'react';
import { useWords } from '../i18n/words.ts';
import { confirm } from '../ui/confirm.ts';
import { words } from './words.ts';

/** What forms need of the router, handed in by the app so that this kit knows no route. */
export interface FormHost {
  /** While `blocked`, a change of page happens only after `mayLeave` has said yes. A stable hook. */
  useLeaveBlock: (blocked: boolean, mayLeave: () => Promise<boolean>) => void;
}

const FormHostContext = createContext<FormHost>({ useLeaveBlock: () => undefined });

/** `<FormHostProvider value={{ useLeaveBlock }}>` stands once, around the pages. */
export const FormHostProvider = FormHostContext.Provider;

/** Asks before what was typed is lost: on another page, and when the tab is closed. */
export function useUnsavedGuard(unsaved: boolean): () => Promise<boolean> {
  const w = useWords(words);
  const { useLeaveBlock } = useContext(FormHostContext);
  const mayLeave = () => confirm({ title: w.leaveTitle, text: w.leaveText, action: w.leave, danger: true });
  useLeaveBlock(unsaved, mayLeave);
  useEffect(() => {
    if (!unsaved) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  }, [unsaved]);
  return mayLeave;
}
