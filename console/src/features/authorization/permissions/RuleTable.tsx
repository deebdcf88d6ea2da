import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { Mark } from '../../../ui/State.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from './permissions.module.css';
import { ACTIONS, isAnyQos, PERMISSIONS, RETAINS, whole } from './rule-choices.ts';
import { permissionWords } from './words.ts';

/** Rules in their order, to be read. */
export function RuleTable({ rules, label }: { rules: readonly BuiltInRule[]; label: string }) {
  const w = useWords(permissionWords);
  return (
    <table className={styles.rules} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{w.permission}</th>
          <th scope="col">{w.action}</th>
          <th scope="col">{w.topic}</th>
          <th scope="col">{w.qos}</th>
          <th scope="col">{w.retain}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is what stands at its place
          <tr key={i}>
            <td>
              <Permission of={rule.permission} />
            </td>
            <td>
              <Action of={rule.action} />
            </td>
            <td className={styles.topic}>
              <bdi>{visibleText(rule.topic)}</bdi>
            </td>
            <td data-label={w.qos}>
              <Qos of={rule} />
            </td>
            <td data-label={w.retain}>
              <Retain of={rule} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Permission({ of }: { of: BuiltInRule['permission'] }) {
  const language = useLanguage();
  return <Mark tone={of === 'allow' ? 'good' : 'bad'}>{PERMISSIONS[of][language]}</Mark>;
}

function Action({ of }: { of: BuiltInRule['action'] }) {
  return ACTIONS[of][useLanguage()];
}

export function Qos({ of }: { of: BuiltInRule }) {
  const w = useWords(permissionWords);
  const { qos } = whole(of);
  return isAnyQos(qos) ? w.any : qos.join(', ');
}

export function Retain({ of }: { of: BuiltInRule }) {
  return RETAINS[String(whole(of).retain) as keyof typeof RETAINS][useLanguage()];
}
