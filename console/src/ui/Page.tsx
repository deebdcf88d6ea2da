import { type ReactNode, useEffect, useRef } from 'react';
import styles from './Page.module.css';

export interface PageProps {
  title: string;
  /** What stands in the head in place of the plain title: a copyable name with its state. */
  heading?: ReactNode | undefined;
  /** One line of what the page is for, where it is not obvious. */
  purpose?: ReactNode | undefined;
  /** Small facts behind the title: "1,204 clients". */
  facts?: ReactNode | undefined;
  /** The primary action, at the right; dangerous ones last. */
  actions?: ReactNode | undefined;
  /** Tabs below the head. */
  tabs?: ReactNode | undefined;
  children?: ReactNode;
}

const PRODUCT = 'mqdeck';
/** The first page is where the browser starts reading anyway; each later one takes the focus to its title. */
let firstPage = true;
/** A menu that led here gives the focus back to its button after 10 ms; only then it can be taken. */
const FOCUS_AFTER_MS = 30;

/** The frame of every page: head with title and actions, then the content. */
export function Page({ title, heading, purpose, facts, actions, tabs, children }: PageProps) {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  useEffect(() => {
    if (firstPage) {
      firstPage = false;
      return;
    }
    const timer = setTimeout(() => {
      const heading = headingRef.current;
      const main = heading?.closest('main');
      const { activeElement } = document;
      // Somebody who is at work here already, or in the form that came with the page, stays there.
      const inside = activeElement !== main && main?.contains(activeElement);
      if (!inside && !activeElement?.closest('[role="dialog"]')) heading?.focus({ preventScroll: true });
    }, FOCUS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <div className={styles.line}>
            <h1 ref={headingRef} tabIndex={-1} className={styles.title}>
              {heading ?? title}
            </h1>
            {facts && <div className={styles.facts}>{facts}</div>}
          </div>
          {purpose && <p className={styles.purpose}>{purpose}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {tabs}
      {children}
    </div>
  );
}

/** A framed part of a page, with a heading of its own. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.panel}>
      {(title || actions) && (
        <div className={styles.panelHead}>
          {title && <h2 className={styles.panelTitle}>{title}</h2>}
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
