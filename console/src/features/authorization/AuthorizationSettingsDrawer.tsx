import { api } from '@mqdeck/contract/api';
import { isValidFilter } from '@mqdeck/mqtt/topics';
import { useWatch } from 'react-hook-form';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { MultiText, NumberField, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import styles from './authorization.module.css';
import { formWords } from './form-words.ts';
import { words } from './words.ts';

const NO_MATCH = { allow: formWords.allow, deny: formWords.deny };
const DENY_ACTION = { ignore: formWords.ignore, disconnect: formWords.disconnect };

/** What holds whatever the sources are. */
export function AuthorizationSettingsDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const w = useWords(words);
  const { data } = useEndpoint(api.authorization.settings, {}, { quiet: true });
  if (!data) return null;
  return (
    <FormDrawer
      key={JSON.stringify(data)}
      title={w.settings}
      opened={opened}
      onClose={onClose}
      endpoint={api.authorization.updateSettings}
      initial={data}
      words={formWords}
      refresh={[api.authorization.settings]}
      onDone={() => toast('good', w.settingsSaved)}
    >
      <Select name="no_match" options={Object.keys(NO_MATCH)} labels={NO_MATCH} required />
      <Select name="deny_action" options={Object.keys(DENY_ACTION)} labels={DENY_ACTION} required />
      <Cache />
    </FormDrawer>
  );
}

function Cache() {
  const w = useWords(words);
  const f = useWords(formWords);
  const on: unknown = useWatch({ name: 'cache.enable' });
  const clear = useAction(api.authorization.clearCache, {
    confirm: { title: w.clearCacheAsk, text: w.clearCacheText, action: w.clearCache },
    success: w.cacheCleared,
  });
  return (
    <Group title={f.cache} text={f.cacheText}>
      <Toggle name="cache.enable" label={f.cacheEnable} />
      {on !== false && (
        <>
          <NumberField name="cache.max_size" standard={32} integer required />
          <Duration name="cache.ttl" standard="1m" required />
          <MultiText
            name="cache.excludes"
            check={(value) => {
              const wrong = Array.isArray(value) && value.find((one) => !isValidFilter(String(one)));
              return typeof wrong === 'string' ? f.excludesFault({ filter: wrong }) : null;
            }}
          />
        </>
      )}
      <button type="button" className={styles.plain} disabled={clear.pending} onClick={() => void clear({})}>
        {w.clearCache}
      </button>
    </Group>
  );
}
