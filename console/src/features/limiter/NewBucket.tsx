import { Modal } from '@mantine/core';
import { BUCKET_NAME, type Bucket, copyName, type LimiterType } from '@mqdeck/contract/limiter';
import { useState } from 'react';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { request } from '../../api/request.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { Text } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { endpoints } from './types.ts';
import { words } from './words.ts';

const NewBucketForm = z.strictObject({ name: z.string(), from: z.string() });
const TAKEN = 'BUCKET_TAKEN_MEANWHILE';

/** Asks for the name of a new bucket, and whose numbers it begins with. */
export function NewBucket({
  type,
  names,
  from,
  copy,
  onClose,
  onCreated,
}: {
  type: LimiterType;
  names: readonly string[];
  from: string;
  /** The name of a copy is proposed. */
  copy: boolean;
  onClose: () => void;
  onCreated: (name: string) => void;
}) {
  const w = useWords(words);
  const { get, update } = endpoints[type] as (typeof endpoints)['message_in'];
  const [initial] = useState({ name: copy ? copyName(from, names) : '', from });
  const check = (value: unknown): string | null => {
    const name = String(value ?? '').trim();
    if (name === '') return w.nameRequired;
    if (!BUCKET_NAME.test(name)) return w.nameInvalid;
    return names.includes(name) ? w.nameTaken : null;
  };
  /** All buckets of now, with the new one. */
  async function withNew(item: unknown): Promise<object> {
    const { name, from: source } = item as z.output<typeof NewBucketForm>;
    const { bucket } = await request(get, {}, { quiet: true });
    if (Object.hasOwn(bucket, name)) throw new ApiError({ status: 409, code: TAKEN });
    const { listeners: _, zones: __, ...numbers } = bucket[source] ?? ({} as Partial<Bucket>);
    return { bucket: { ...bucket, [name]: numbers } };
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.newBucket}
      size={460}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <ContractForm
        endpoint={update}
        list={{ item: NewBucketForm, with: withNew }}
        initial={initial}
        toBody={({ name, ...rest }) => ({ name: String(name).trim(), ...rest })}
        words={words}
        submitLabel={w.create}
        refresh={[get]}
        faultOf={({ code }) => (code === TAKEN ? { field: 'name', text: w.nameTaken } : undefined)}
        onCancel={onClose}
        onDone={(_, body) => {
          const { name } = body as z.output<typeof NewBucketForm>;
          toast('good', w.created({ name }));
          onCreated(name);
        }}
      >
        <Text name="name" mono check={check} />
        <Select name="from" options={names} required />
      </ContractForm>
    </Modal>
  );
}
