import { Drawer } from '@mantine/core';
import type { Bridge } from '@mqdeck/contract/bridges';
import { useMemo } from 'react';
import { useWatch } from 'react-hook-form';
import { EditorField } from '../../editor/EditorField.tsx';
import type { Suggest } from '../../editor/languages.ts';
import { Text, Toggle } from '../../form/fields.tsx';
import { Advanced } from '../../form/Group.tsx';
import { KeyValue } from '../../form/KeyValue.tsx';
import { Select } from '../../form/Select.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { State, stateOf } from '../../ui/State.tsx';
import { words as stateWords } from '../../ui/words.ts';
import { actionWords } from './action-words.ts';
import {
  type Action,
  type ActionValues,
  actionOf,
  isConsole,
  isOther,
  QOS,
  RETAIN,
  valuesOf,
} from './actions.ts';
import { bridgeIdOf, idOf, isTarget } from './bridge-sides.ts';
import { formWords } from './form-words.ts';
import { PartForm } from './PartForm.tsx';
import styles from './rules.module.css';

/** One action of the rule, beside the form that it belongs to. */
export function ActionDrawer({
  action,
  others,
  bridges,
  names,
  onTake,
  onClose,
}: {
  /** Undefined makes a new one. */
  action: Action | undefined;
  /** The other actions of the rule. */
  others: readonly Action[];
  bridges: readonly Bridge[];
  /** What a result holds, for `${…}`. */
  names: readonly string[];
  onTake: (action: Action) => void;
  onClose: () => void;
}) {
  const w = useWords(actionWords);
  const fw = useWords(formWords);
  const title = action === undefined ? w.addTitle : w.editTitle;
  return (
    <Drawer
      opened
      onClose={onClose}
      title={title}
      position="right"
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': fw.close }}
    >
      <PartForm
        initial={valuesOf(action) as unknown as Record<string, unknown>}
        words={actionWords}
        submitLabel={w.take}
        onTake={(values) => onTake(actionOf(values as unknown as ActionValues))}
        onCancel={onClose}
      >
        <Fields others={others} bridges={bridges} names={names} />
        <p className={styles.note}>{w.takeHint}</p>
      </PartForm>
    </Drawer>
  );
}

function Fields({
  others,
  bridges,
  names,
}: {
  others: readonly Action[];
  bridges: readonly Bridge[];
  names: readonly string[];
}) {
  const type = useWatch({ name: 'type' }) as ActionValues['type'];
  const types = [
    { value: 'republish', label: actionWords.republish },
    ...(others.some(isConsole) ? [] : [{ value: 'console', label: actionWords.console }]),
    { value: 'bridge', label: actionWords.bridge },
  ];
  return (
    <>
      <Select name="type" required options={types} />
      {type === 'console' && <ConsoleText />}
      {type === 'republish' && <RepublishFields names={names} />}
      {type === 'bridge' && <BridgeField others={others} bridges={bridges} />}
    </>
  );
}

function ConsoleText() {
  const w = useWords(actionWords);
  return (
    <p className={styles.note}>
      {w.consoleText} {w.consoleOnce}
    </p>
  );
}

function RepublishFields({ names }: { names: readonly string[] }) {
  const w = useWords(actionWords);
  const [qos, retain] = useWatch({ name: ['qos', 'retain'] });
  const suggest = useMemo<Suggest>(() => placesFor(names, w.names, w.whole), [names, w.names, w.whole]);
  const labels = { other: actionWords.other };
  return (
    <>
      <Text
        name="topic"
        mono
        required
        placeholder="out/${clientid}"
        check={(value) => (/[+#]/.test(String(value ?? '').replace(PLACE, '')) ? w.topicFault : null)}
        hint={w.topicHint({ place: '${name}' })}
      />
      <Select name="qos" required options={QOS} labels={labels} />
      {isOther(qos) && <Text name="qosText" mono required placeholder="${payload.qos}" />}
      <Select name="retain" required options={RETAIN} labels={labels} />
      {isOther(retain) && <Text name="retainText" mono required placeholder="${payload.keep}" />}
      <EditorField
        name="payload"
        language="plain"
        size="small"
        suggest={suggest}
        hint={w.payloadHint({ place: '${.}' })}
      />
      <Advanced>
        <KeyValue name="mqtt_properties" keyLabel={w.property} hint={w.mqttPropertiesHint} />
        <Text
          name="user_properties"
          mono
          hint={w.userPropertiesHint({ place: '${pub_props.User-Property}' })}
        />
        <Toggle name="direct_dispatch" hint={w.directHint} />
      </Advanced>
    </>
  );
}

const PLACE = /\$\{[^{}]*\}/g;
const OPEN_PLACE = /\$\{[\w.-]*$/;

/** `${…}` of what the result holds. */
const placesFor =
  (names: readonly string[], detail: string, whole: string): Suggest =>
  (before) => {
    const length = OPEN_PLACE.exec(before)?.[0].length ?? 0;
    return {
      length,
      suggestions: [
        ...names.map((name) => ({ label: `\${${name}}`, detail })),
        { label: '${.}', detail: whole },
      ],
    };
  };

function BridgeField({ others, bridges }: { others: readonly Action[]; bridges: readonly Bridge[] }) {
  const w = useWords(actionWords);
  const sw = useWords(stateWords);
  const chosen = useWatch({ name: 'bridge' }) as string;
  const used = new Set(others.flatMap((one) => (typeof one === 'string' ? [bridgeIdOf(one)] : [])));
  const left = bridges.filter((one) => isTarget(one) && !used.has(idOf(one)));
  const one = bridges.find((bridge) => idOf(bridge) === chosen);
  return (
    <>
      <Select
        name="bridge"
        label={w.chooseBridge}
        required
        options={left.map((bridge) => ({
          value: idOf(bridge),
          label: `${idOf(bridge)} · ${sw[bridge.enable ? stateOf(bridge.status) : 'disabled']}`,
        }))}
      />
      {one ? (
        <p className={styles.beside}>
          <State is={one.enable ? stateOf(one.status) : 'disabled'} wanted />
          <Link to={paths.bridge(chosen)} target="_blank">
            {w.openBridge({ name: chosen })}
          </Link>
        </p>
      ) : chosen ? (
        <p className={styles.note}>{w.bridgeGone({ name: chosen })}</p>
      ) : (
        left.length === 0 && <p className={styles.note}>{w.noTargets}</p>
      )}
      <p className={styles.beside}>
        <Link to={paths.bridgeCreate()} target="_blank">
          {w.createBridge}
        </Link>
      </p>
    </>
  );
}
