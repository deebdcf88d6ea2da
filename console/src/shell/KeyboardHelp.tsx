import { Modal } from '@mantine/core';
import { useWords } from '../i18n/words.ts';
import { KeyList } from './KeyList.tsx';
import { words } from './words.ts';

/** The keys, as a dialog. */
export function KeyboardHelp({ close }: { close: () => void }) {
  const w = useWords(words);
  return (
    <Modal opened onClose={close} title={w.keyboard} size={560} closeButtonProps={{ 'aria-label': w.close }}>
      <KeyList />
    </Modal>
  );
}
