import { Drawer } from '@mantine/core';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { ContractForm, type ContractFormProps } from './ContractForm.tsx';
import { useUnsavedGuard } from './form-host.tsx';
import { words as kitWords } from './words.ts';

/** A form beside the list it belongs to. Closing it asks when something typed would be lost. */
export function FormDrawer<E extends Endpoint>({
  title,
  opened,
  onClose,
  onDone,
  ...form
}: Omit<ContractFormProps<E>, 'onCancel' | 'onUnsaved'> & {
  title: string;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(kitWords);
  const [unsaved, setUnsaved] = useState(false);
  const asking = useRef(false);
  const mayLeave = useUnsavedGuard(opened && unsaved);
  const close = async () => {
    if (asking.current) return;
    asking.current = true;
    const leave = !unsaved || (await mayLeave());
    asking.current = false;
    if (!leave) return;
    setUnsaved(false);
    onClose();
  };
  return (
    <Drawer
      opened={opened}
      onClose={() => void close()}
      title={title}
      position="right"
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <ContractForm
        {...form}
        onUnsaved={setUnsaved}
        onCancel={() => void close()}
        onDone={(answer, body) => {
          setUnsaved(false);
          onClose();
          onDone?.(answer, body);
        }}
      />
    </Drawer>
  );
}
