import type { ApiKey } from '@mqdeck/contract/api-keys';
import { NEVER_EXPIRES } from '@mqdeck/contract/api-keys';
import { useWords } from '../../i18n/words.ts';
import { AbsoluteTime, RelativeTime } from '../../ui/RelativeTime.tsx';
import { Mark, State } from '../../ui/State.tsx';
import { stateOf } from './expiry-date.ts';
import { words } from './words.ts';

export function ApiKeyState({ of }: { of: ApiKey }) {
  const w = useWords(words);
  const state = stateOf(of);
  if (state === 'expired') return <Mark tone="bad">{w.expired}</Mark>;
  if (state === 'soon') return <Mark tone="warn">{w.soon}</Mark>;
  return <State is={state} />;
}

export function ExpiresAt({ of: { expired_at }, whole }: { of: ApiKey; whole?: boolean }) {
  const w = useWords(words);
  if (expired_at === NEVER_EXPIRES) return w.never;
  return whole ? <AbsoluteTime at={expired_at} /> : <RelativeTime at={expired_at} />;
}
