import { api } from '@mqdeck/contract/api';
import {
  API_KEY_NAME,
  API_KEY_NAME_LENGTH_MAX,
  type ApiKey,
  NEVER_EXPIRES,
  type NewApiKey,
} from '@mqdeck/contract/api-keys';
import { text } from '@mqdeck/contract/kit/values';
import type { FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import type { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text, TextArea, Toggle } from '../../form/fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { localOf } from '../../table/filters.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { Expiry } from './Expiry.tsx';
import { type ExpiryChoice, expiresAt } from './expiry-date.ts';
import { words } from './words.ts';

interface FormProps {
  opened: boolean;
  onClose: () => void;
}

const NEW_KEY = { name: '', desc: '', enable: true, expires: 'never', moment: '' };

export function CreateApiKey({
  opened,
  onClose,
  onCreated,
}: FormProps & { onCreated: (made: NewApiKey) => void }) {
  const w = useWords(words);
  const nameFault = (value: unknown) => {
    const name = String(value ?? '').trim();
    return name.length <= API_KEY_NAME_LENGTH_MAX && API_KEY_NAME.test(name)
      ? null
      : w.nameRule({ max: API_KEY_NAME_LENGTH_MAX });
  };
  return (
    <FormDrawer
      title={w.create}
      opened={opened}
      onClose={onClose}
      endpoint={api.apiKeys.create}
      initial={NEW_KEY}
      words={words}
      submitLabel={w.create}
      refresh={[api.apiKeys.list]}
      toBody={(values) => ({ ...bodyOf(values), name: String(values.name).trim() })}
      faultOf={(error) => (isTaken(error) ? { field: 'name', text: w.nameTaken } : undefined)}
      onDone={onCreated}
    >
      <Text name="name" required mono check={nameFault} />
      <Expiry />
      <Toggle name="enable" />
      <TextArea name="desc" rows={2} />
    </FormDrawer>
  );
}

/** The form says all of a key: an emptied note is an empty note, not one that is left as it was. */
const wholeUpdate = {
  ...api.apiKeys.update,
  body: z.extend(api.apiKeys.update.body, { desc: text }),
};

export function EditApiKey({ apiKey, opened, onClose }: FormProps & { apiKey: ApiKey }) {
  const w = useWords(words);
  const { name, expired_at } = apiKey;
  const initial = valuesOf(apiKey);
  const { moment } = initial;
  return (
    <FormDrawer
      key={name}
      title={w.editOf({ name: visibleText(name) })}
      opened={opened}
      onClose={onClose}
      endpoint={wholeUpdate}
      params={{ name }}
      initial={initial}
      current={async () => valuesOf(await request(api.apiKeys.get, { params: { name } }, { quiet: true }))}
      words={words}
      refresh={[api.apiKeys.list]}
      toBody={(values) => ({
        ...bodyOf(values),
        // The control knows no seconds' fractions: what nobody touched goes back as it came.
        ...(values.expires === 'moment' && values.moment === moment && { expired_at }),
      })}
      onDone={() => toast('good', w.saved({ name: visibleText(name) }))}
    >
      <Expiry kept={initial.expires === 'never' ? undefined : moment} />
      <Toggle name="enable" />
      <TextArea name="desc" rows={2} />
    </FormDrawer>
  );
}

const valuesOf = ({ desc, enable, expired_at }: Pick<ApiKey, 'desc' | 'enable' | 'expired_at'>) => {
  const never = expired_at === NEVER_EXPIRES;
  return { desc, enable, expires: never ? 'never' : 'moment', moment: never ? '' : localOf(expired_at) };
};

const bodyOf = ({ desc, enable, expires, moment }: FieldValues) => ({
  desc,
  enable,
  expired_at: expiresAt(expires as ExpiryChoice, String(moment ?? '')) ?? undefined,
});

/** Both spellings are the broker's, of two generations. */
const isTaken = ({ message, code }: ApiError): boolean =>
  /name_already_exist/i.test(message) || code === 'ALREADY_EXISTS';
