import { createContext, useContext } from 'react';
import type { Facts } from './schema-facts.ts';

/** A text in both languages, as a words file declares it. */
export interface Word {
  en: string;
  zh: string;
}

/** What is wrong with a value, or null. */
export type Check = (value: unknown) => string | null;

export interface FieldDeclaration {
  label: string;
  check?: Check | undefined;
  /** What is sent instead of the value as it stands. */
  send?: ((value: unknown) => unknown) | undefined;
  /** A value in words, where it says more than itself; null = as any other. */
  show?: ((value: unknown) => string | null) | undefined;
  /** What it is when nobody says anything; undefined where there is no such value. */
  standard?: unknown;
}

/** Keeps which fields a form has; the fields come and go by themselves, the form reads. */
export interface FormContextValue {
  /** Prefix of the ids in the document. */
  id: string;
  fields: Map<string, FieldDeclaration>;
  /** Counts changes of `fields`, for those who render by them. */
  declare: (name: string, field: FieldDeclaration) => () => void;
  factsOf: (name: string) => Facts;
  label: (name: string) => string;
  hint: (name: string) => string | undefined;
  readOnly: boolean;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

export function useFormKit(): FormContextValue {
  const context = useContext(FormContext);
  if (!context) throw new Error('a field stands outside of any form');
  return context;
}
