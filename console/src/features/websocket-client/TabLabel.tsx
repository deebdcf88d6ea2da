import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { shortText } from '../../ui/short-text.ts';
import { words as stateWords } from '../../ui/words.ts';
import { nameIn } from './connection-name.ts';
import { type Connection, useConnection } from './connections.ts';
import styles from './websocket-client.module.css';

/** The name of a connection with its state and, behind the scenes, what came since. */
export function TabLabel({ connection, hidden }: { connection: Connection; hidden: boolean }) {
  useConnection(connection);
  const s = useWords(stateWords);
  const language = useLanguage();
  const { count } = useSyncExternalStore(connection.received.subscribe, connection.received.view);
  const { state } = connection.client;
  const label = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // Seven tabs are wider than a narrow screen.
    if (!hidden) label.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [hidden]);
  return (
    <span ref={label} className={styles.tab}>
      <span className={styles.dot} data-state={state} title={s[state]}>
        <span className="visually-hidden">{s[state]}</span>
      </span>
      <bdi className={styles.tabName}>{shortText(nameIn(language, connection.form.name))}</bdi>
      {hidden && count > 0 && <span className={styles.tabCount}>{count}</span>}
    </span>
  );
}
