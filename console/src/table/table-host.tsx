import { type ComponentType, createContext, type ReactNode, useContext, useMemo } from 'react';
import { prefixed, type TableState, type UseTableState, useMemoryState } from './table-state.ts';

export interface TableLinkProps {
  title?: string | undefined;
  to: string;
  className?: string | undefined;
  children: ReactNode;
}

/** What lists need of the router, handed in by the app so that this kit knows no route. */
export interface TableHost {
  /** Page, size, sort and filters of the lists: the app's lives in the URL. A stable hook. */
  useState: UseTableState;
  Link: ComponentType<TableLinkProps>;
}

const standalone: TableHost = {
  useState: useMemoryState,
  Link: ({ to, children, ...rest }) => (
    <a href={to} {...rest}>
      {children}
    </a>
  ),
};

const TableHostContext = createContext<TableHost>(standalone);

/** `<TableHostProvider value={{ useState: useUrlState, Link }}>` stands once, around the pages. */
export const TableHostProvider = TableHostContext.Provider;

/** The state of this list. `prefix` keeps two lists on one page apart: `rules.page`. */
export function useTableState(prefix?: string): TableState {
  const { useState } = useContext(TableHostContext);
  const whole = useState();
  return useMemo(() => (prefix === undefined ? whole : prefixed(whole, `${prefix}.`)), [whole, prefix]);
}

export function TableLink(props: TableLinkProps) {
  const { Link } = useContext(TableHostContext);
  return <Link {...props} />;
}
