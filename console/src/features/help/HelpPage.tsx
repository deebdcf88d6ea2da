import { basePath } from '../../base.ts';
import { useWords } from '../../i18n/words.ts';
import { KeyList } from '../../shell/KeyList.tsx';
import { IconExternal } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import styles from './HelpPage.module.css';
import { words } from './words.ts';

const MQTT5 = 'https://docs.oasis-open.org/mqtt/mqtt/v5.0/mqtt-v5.0.html';
const MQTT311 = 'https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html';

/** Keys and documents; open to those who cannot sign in as well. */
export function HelpPage() {
  const w = useWords(words);
  return (
    <Page title={w.title}>
      <Panel title={w.keyboard}>
        <KeyList />
      </Panel>
      <Panel title={w.here}>
        <div className={styles.cards}>
          <Card href={`${basePath()}api-docs`} title={w.apiDocs} text={w.apiDocsText} />
          <Card href={`${basePath()}status`} title={w.health} text={w.healthText} />
        </div>
      </Panel>
      <Panel title={w.mqtt}>
        <div className={styles.cards}>
          <Card href={MQTT5} title={w.mqtt5} text={w.mqtt5Text} />
          <Card href={MQTT311} title={w.mqtt311} text={w.mqtt311Text} />
        </div>
      </Panel>
    </Page>
  );
}

function Card({ href, title, text }: { href: string; title: string; text: string }) {
  const w = useWords(words);
  return (
    <a className={styles.card} href={href} target="_blank" rel="noopener noreferrer">
      <span className={styles.title}>
        {title}
        <IconExternal size={14} />
        <span className="visually-hidden">{w.newWindow}</span>
      </span>
      <span className={styles.text}>{text}</span>
    </a>
  );
}
