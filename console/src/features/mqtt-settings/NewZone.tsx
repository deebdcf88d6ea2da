import { Modal } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useState } from 'react';
import * as z from 'zod/mini';
import { ApiError } from '../../api/api-error.ts';
import { ContractForm } from '../../form/ContractForm.tsx';
import { Text } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { zoneWords as words } from './zone-words.ts';
import { copyName, GLOBAL, nameFault, zonesNow } from './zones.ts';

const NewZoneForm = z.strictObject({ name: z.string(), from: z.string() });
const TAKEN = 'ZONE_TAKEN_MEANWHILE';

/** Asks for the name of a new zone and what it begins with. */
export function NewZone({
  names,
  from,
  onClose,
  onCreated,
}: {
  names: readonly string[];
  /** The zone to be copied; `global` for a new one. */
  from: string;
  onClose: () => void;
  onCreated: (name: string) => void;
}) {
  const w = useWords(words);
  const [initial] = useState({ name: from === GLOBAL ? '' : copyName(from, names), from });
  const faults = { invalid: w.nameInvalid, taken: w.nameTaken };
  const check = (value: unknown): string | null => {
    const name = String(value).trim();
    const fault = nameFault(name, names);
    return fault && faults[fault];
  };
  /** All zones of now, with the new one. */
  async function withNew(item: unknown): Promise<object> {
    const { name, from: source } = item as z.output<typeof NewZoneForm>;
    const zones = await zonesNow();
    if (name in zones) throw new ApiError({ status: 409, code: TAKEN });
    return { ...zones, [name]: zones[source] ?? {} };
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={w.newZone}
      size={460}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <ContractForm
        endpoint={api.zones.update}
        list={{ item: NewZoneForm, with: withNew }}
        initial={initial}
        toBody={({ name, ...rest }) => ({ name: String(name).trim(), ...rest })}
        words={words}
        submitLabel={w.create}
        refresh={[api.zones.list]}
        faultOf={({ code }) => (code === TAKEN ? { field: 'name', text: w.nameTaken } : undefined)}
        onCancel={onClose}
        onDone={(_, body) => {
          const { name } = body as z.output<typeof NewZoneForm>;
          toast('good', w.created({ name }));
          onCreated(name);
        }}
      >
        <Text name="name" mono required check={check} />
        <Select name="from" options={[GLOBAL, ...names]} labels={{ [GLOBAL]: words.global }} required />
      </ContractForm>
    </Modal>
  );
}
