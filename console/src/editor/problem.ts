/** Something wrong with a text, and where. */
export interface Problem {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units; absent = the whole line. */
  column?: number | undefined;
  /** Behind the last wrong character of that line; absent = its end. */
  endColumn?: number | undefined;
  severity?: 'error' | 'warning' | undefined;
  text: string;
}

/** Finds what is wrong with a text, in the language of the moment. */
export type CheckText = (text: string) => readonly Problem[];

/** As the eye meets them. */
export const inOrderOfLines = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0));
