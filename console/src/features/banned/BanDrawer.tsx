import { api } from '@mqdeck/contract/api';
import { BANNED_AS, type BannedAs, FOREVER } from '@mqdeck/contract/banned';
import { useEffect } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import type { ApiError } from '../../api/api-error.ts';
import { useSession } from '../../api/session.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text, TextArea } from '../../form/fields.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords, type Words } from '../../i18n/words.ts';
import { IconWarn } from '../../ui/icons.tsx';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { EXAMPLES, isEverybody, isKind, whoFault } from './ban.ts';
import styles from './banned.module.css';
import { Expiry } from './Expiry.tsx';
import { words } from './words.ts';

const KINDS = Object.fromEntries(BANNED_AS.map((as) => [as, words[as]]));

/** Bans somebody; the link that led here may say whom. */
export function BanDrawer({
  as,
  who,
  opened,
  onClose,
}: {
  as: BannedAs;
  who: string;
  opened: boolean;
  onClose: () => void;
}) {
  const w = useWords(words);
  const me = useSession()?.username;
  return (
    <FormDrawer
      key={`${as} ${who}`}
      title={w.addTitle}
      opened={opened}
      onClose={onClose}
      endpoint={api.banned.create}
      initial={{ as, who, reason: '', until: FOREVER }}
      words={words}
      submitLabel={w.add}
      refresh={[api.banned.list, api.refusedConnections.list, api.clients.list, api.stats.list]}
      toBody={({ as, who, reason, until }) => ({
        as,
        // Blanks may belong to a name, never to an address
        who: as === 'peerhost' || as === 'peerhost_net' ? String(who).trim() : who,
        until,
        ...(reason !== '' && { reason }),
        ...(me !== undefined && { by: me }),
      })}
      faultOf={(error) => faultOf(error, w)}
      onDone={(answer) => toast('good', w.added({ who: shortText(answer.who) }))}
    >
      <Select name="as" labels={KINDS} check={(value) => (isKind(value) ? null : w.asRequired)} />
      <Who />
      <Expiry />
      <TextArea name="reason" rows={3} />
      <p className={styles.effect}>{w.effect}</p>
    </FormDrawer>
  );
}

function Who() {
  const w = useWords(words);
  const [as, who] = useWatch({ name: ['as', 'who'] }) as [unknown, unknown];
  const { trigger, formState } = useFormContext();
  const { isSubmitted } = formState;
  // What a value has to look like depends on the attribute.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the attribute changes, whatever else does
  useEffect(() => {
    if (isSubmitted) void trigger('who');
  }, [as]);
  const hint =
    as === 'clientid_re' || as === 'username_re'
      ? w.patternHint
      : as === 'peerhost_net'
        ? w.networkHint
        : undefined;
  return (
    <>
      <Text
        name="who"
        mono
        hint={hint}
        placeholder={isKind(as) ? w.example({ text: EXAMPLES[as] }) : ''}
        check={(value) => whoFault(as, value, w)}
      />
      {isEverybody(as, who) && (
        <p className={styles.warning} role="alert">
          <IconWarn size={16} />
          {w.everybody}
        </p>
      )}
    </>
  );
}

/** What the broker refused, said beside the field it is about. */
function faultOf(error: ApiError, w: Words<typeof words>): { field: string; text: string } | undefined {
  if (error.code === 'ALREADY_EXISTS') return { field: 'who', text: w.already };
  if (/expir|earlier than now/i.test(error.message)) return { field: 'until', text: w.untilPast };
  return undefined;
}
