import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import { useId } from 'react';
import { useAction } from '../../../api/use-action.ts';
import { useWords } from '../../../i18n/words.ts';
import { confirm } from '../../../ui/confirm.ts';
import { IconTrash } from '../../../ui/icons.tsx';
import { Panel } from '../../../ui/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { useUrlState } from '../../../url-state.ts';
import { AllRules } from './AllRules.tsx';
import { OwnerRules } from './OwnerRules.tsx';
import { OWNERS } from './owners.ts';
import styles from './permissions.module.css';
import { permissionWords } from './words.ts';

const PARTS = ['clients', 'users', 'all'] as const;
const LISTS = [...Object.values(OWNERS).map(({ list }) => list), api.authorization.allRules];

/** The rules of the built-in database: of client ids, of usernames, for all. */
export function Permissions({ source }: { source: AuthorizationSource }) {
  const w = useWords(permissionWords);
  const id = useId();
  const { values, set } = useUrlState();
  const part = PARTS.find((one) => one === values.who) ?? PARTS[0];
  // Another list begins at its first page, without the search of the one before.
  const show = (next: string) =>
    set(
      {
        who: next === PARTS[0] ? undefined : next,
        page: undefined,
        ...Object.fromEntries(Object.values(OWNERS).map(({ like }) => [like, undefined])),
      },
      'replace',
    );
  const purge = usePurge(source);
  return (
    <Panel>
      <div className={styles.head}>
        <fieldset className={styles.parts} aria-label={w.who}>
          {PARTS.map((one) => (
            <label key={one}>
              <input
                type="radio"
                className="visually-hidden"
                name={id}
                checked={part === one}
                onChange={() => show(one)}
              />
              <span>{w[one]}</span>
            </label>
          ))}
        </fieldset>
        <Button color="red" leftSection={<IconTrash size={15} />} onClick={() => void purge()}>
          {w.purge}
        </Button>
      </div>
      <p className={styles.note}>{w.order}</p>
      {part === 'all' ? <AllRules /> : <OwnerRules key={part} kind={part} />}
    </Panel>
  );
}

/** Brokers delete all rules only while nobody is decided by them. */
function usePurge(source: AuthorizationSource) {
  const w = useWords(permissionWords);
  const shown = [api.authorization.sources, api.authorization.get, api.authorization.status];
  const update = useAction(api.authorization.update, { refresh: shown });
  const drop = useAction(api.authorization.purgeRules, { refresh: LISTS });
  const turn = (enable: boolean) =>
    update({ params: { type: source.type }, body: { ...source, enable } as never });
  return async () => {
    const yes = await confirm({
      title: w.purgeAsk,
      text: source.enable ? `${w.purgeText} ${w.purgeEnabled}` : w.purgeText,
      action: source.enable ? w.purgeDisable : w.purge,
      danger: true,
    });
    if (!yes || (source.enable && !(await turn(false)).done)) return;
    if (!(await drop({})).done) return;
    const again = { label: w.enableAgain, run: () => void turn(true) };
    toast('good', w.purged, source.enable ? again : undefined);
  };
}
