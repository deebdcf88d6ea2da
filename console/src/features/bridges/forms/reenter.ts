import { createContext, useContext } from 'react';

/** Secrets that the bridge had from which this form was copied: each must be entered again. Dotted names. */
export const ReenterContext = createContext<ReadonlySet<string>>(new Set());
export const useReenter = (): ReadonlySet<string> => useContext(ReenterContext);
