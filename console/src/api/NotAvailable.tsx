import { useWords } from '../i18n/words.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { IconOff } from '../ui/icons.tsx';
import { words } from './words.ts';

/** In place of a part whose endpoint this broker does not have (`useAvailable`): a fact, not an error. */
export function NotAvailable({ title }: { title?: string }) {
  const w = useWords(words);
  return <EmptyState icon={<IconOff size={28} />} title={title ?? w.notAvailable} text={w.notAvailableWhy} />;
}
