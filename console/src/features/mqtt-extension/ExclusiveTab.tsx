import { api } from '@mqdeck/contract/api';
import * as z from 'zod/mini';
import { request } from '../../api/request.ts';
import { Toggle } from '../../form/fields.tsx';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import styles from './mqtt-extension.module.css';
import { words } from './words.ts';

const Part = z.strictObject({ exclusive_subscription: z.boolean() });

/** The global settings as they are now, with this one changed: the API takes all of them. */
async function globalWith(part: unknown): Promise<object> {
  const global = await request(api.zones.getGlobal, {}, { quiet: true });
  return { ...global, mqtt: { ...global.mqtt, ...(part as z.output<typeof Part>) } };
}

/** One of the settings of MQTT: here because operators look for it among what goes beyond the protocol. */
export function ExclusiveTab() {
  const w = useWords(words);
  return (
    <>
      <p className={styles.purpose}>{w.exclusiveText}</p>
      <p className={`${styles.purpose} ${styles.links}`}>
        <Link to={paths.mqtt('general')}>{w.toGeneral}</Link>
        <Link to={paths.subscriptions()}>{w.toSubscriptions}</Link>
      </p>
      <SettingsForm
        load={api.zones.getGlobal}
        save={api.zones.updateGlobal}
        words={words}
        fromAnswer={({ mqtt }) => ({ exclusive_subscription: mqtt.exclusive_subscription })}
        list={{ item: Part, with: globalWith }}
      >
        <Toggle name="exclusive_subscription" standard={false} />
      </SettingsForm>
    </>
  );
}
