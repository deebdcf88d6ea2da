import { useLanguage, useWords } from '../../i18n/words.ts';
import { PayloadInput } from '../../payload/PayloadInput.tsx';
import { IconRefresh } from '../../ui/icons.tsx';
import { advancedCount, type ConnectionForm, type FormFaults, randomClientid } from './connection-form.ts';
import { nameIn } from './connection-name.ts';
import { CheckField, ChoiceField, Folded, PairsField, QOS_OPTIONS, TextField } from './fields.tsx';
import { MessagePropertyFields } from './MessagePropertyFields.tsx';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

const VERSIONS = [
  { value: 5, label: '5.0' },
  { value: 4, label: '3.1.1' },
  { value: 3, label: '3.1' },
] as const;

/** The usual ports of brokers for each; anything else is left alone. */
const PORT_TWINS: Readonly<Record<string, string>> = {
  '8083': '8084',
  '8084': '8083',
  '80': '443',
  '443': '80',
};

interface Props {
  form: ConnectionForm;
  set: (part: Partial<ConnectionForm>) => void;
  faults: FormFaults;
}

/** The connection form: the usual, then what is folded. */
export function ConnectionFields(props: Props) {
  const w = useWords(words);
  const { form, set, faults } = props;
  const is5 = form.protocolVersion === 5;
  return (
    <div className={styles.fields}>
      <div className={styles.pairOfFields}>
        <TextField
          label={w.name}
          value={nameIn(useLanguage(), form.name)}
          onChange={(name) => set({ name })}
        />
        <ChoiceField
          label={w.protocolVersion}
          value={form.protocolVersion}
          options={VERSIONS}
          onChange={(protocolVersion) => set({ protocolVersion })}
        />
      </div>
      <div className={styles.addressFields}>
        <TextField
          label={w.host}
          value={form.host}
          mono
          fault={faults.get('host')}
          onChange={(host) => set({ host })}
        />
        <TextField
          label={w.port}
          value={form.port}
          numeric
          fault={faults.get('port')}
          onChange={(port) => set({ port })}
        />
        <TextField label={w.path} value={form.path} mono onChange={(path) => set({ path })} />
      </div>
      <CheckField
        label={w.ssl}
        checked={form.ssl}
        onChange={(ssl) => set({ ssl, port: PORT_TWINS[form.port] ?? form.port })}
      />
      <TextField
        label={w.clientid}
        value={form.clientid}
        mono
        fault={faults.get('clientid')}
        hint={form.clientid === '' && is5 ? w.clientidHint : undefined}
        onChange={(clientid) => set({ clientid })}
        side={
          <button
            type="button"
            className={styles.iconButton}
            aria-label={w.newClientid}
            title={w.newClientid}
            onClick={() => set({ clientid: randomClientid() })}
          >
            <IconRefresh size={15} />
          </button>
        }
      />
      <div className={styles.pairOfFields}>
        <TextField
          label={w.username}
          value={form.username}
          fault={faults.get('username')}
          onChange={(username) => set({ username })}
        />
        <TextField
          label={w.password}
          type="password"
          value={form.password}
          hint={form.password === '' ? undefined : w.passwordHint}
          onChange={(password) => set({ password })}
        />
      </div>
      <CheckField
        label={is5 ? w.cleanStart : w.cleanSession}
        checked={form.cleanStart}
        onChange={(cleanStart) => set({ cleanStart })}
      />
      <Advanced {...props} />
      <CheckField label={w.will} checked={form.will} onChange={(will) => set({ will })} />
      {form.will && <WillFields {...props} />}
    </div>
  );
}

const ADVANCED = [
  'keepAlive',
  'sessionExpiryInterval',
  'receiveMaximum',
  'maximumPacketSize',
  'topicAliasMaximum',
  'userProperties',
];

function Advanced({ form, set, faults }: Props) {
  const w = useWords(words);
  const is5 = form.protocolVersion === 5;
  const count = advancedCount(form);
  const number = (
    field: 'receiveMaximum' | 'maximumPacketSize' | 'topicAliasMaximum',
    placeholder: string,
    unit?: string,
  ) => (
    <TextField
      label={w[field]}
      value={form[field]}
      unit={unit}
      placeholder={placeholder}
      numeric
      fault={faults.get(field)}
      onChange={(value) => set({ [field]: value })}
    />
  );
  return (
    <Folded
      label={count > 0 ? w.advancedChanged({ count }) : w.advanced}
      open={ADVANCED.some((field) => faults.has(field))}
    >
      <TextField
        label={w.keepAlive}
        value={form.keepAlive}
        unit={w.seconds}
        numeric
        fault={faults.get('keepAlive')}
        onChange={(keepAlive) => set({ keepAlive })}
      />
      <CheckField
        label={w.autoReconnect}
        checked={form.autoReconnect}
        onChange={(autoReconnect) => set({ autoReconnect })}
      />
      {is5 && (
        <>
          <TextField
            label={w.sessionExpiryInterval}
            value={form.sessionExpiryInterval}
            unit={w.seconds}
            numeric
            hint={w.sessionExpiryHint}
            fault={faults.get('sessionExpiryInterval')}
            onChange={(sessionExpiryInterval) => set({ sessionExpiryInterval })}
          />
          <div className={styles.pairOfFields}>
            {number('receiveMaximum', '65535')}
            {number('topicAliasMaximum', '0')}
          </div>
          {number('maximumPacketSize', '', w.bytes)}
          <CheckField
            label={w.requestResponseInformation}
            checked={form.requestResponseInformation}
            onChange={(requestResponseInformation) => set({ requestResponseInformation })}
          />
          <CheckField
            label={w.requestProblemInformation}
            checked={form.requestProblemInformation}
            onChange={(requestProblemInformation) => set({ requestProblemInformation })}
          />
          <PairsField
            label={w.userProperties}
            pairs={form.userProperties}
            fault={faults.get('userProperties')}
            onChange={(userProperties) => set({ userProperties })}
          />
        </>
      )}
    </Folded>
  );
}

function WillFields({ form, set, faults }: Props) {
  const w = useWords(words);
  return (
    <div className={styles.indented}>
      <TextField
        label={w.willTopic}
        value={form.willTopic}
        mono
        fault={faults.get('willTopic')}
        onChange={(willTopic) => set({ willTopic })}
      />
      <PayloadInput
        label={w.willPayload}
        draft={form.willPayload}
        rows={2}
        checked={faults.has('willPayload')}
        onChange={(willPayload) => set({ willPayload })}
      />
      <div className={styles.pairOfFields}>
        <ChoiceField
          label={w.willQos}
          value={form.willQos}
          options={QOS_OPTIONS}
          onChange={(willQos) => set({ willQos })}
        />
        {form.protocolVersion === 5 && (
          <TextField
            label={w.willDelayInterval}
            value={form.willDelayInterval}
            unit={w.seconds}
            numeric
            fault={faults.get('willDelayInterval')}
            onChange={(willDelayInterval) => set({ willDelayInterval })}
          />
        )}
      </div>
      <CheckField
        label={w.willRetain}
        checked={form.willRetain}
        onChange={(willRetain) => set({ willRetain })}
      />
      {form.protocolVersion === 5 && (
        <Folded
          label={w.properties}
          open={[...faults.keys()].some((field) => field.startsWith('willProperties.'))}
        >
          <MessagePropertyFields
            value={form.willProperties}
            faultOf={(field) => faults.get(`willProperties.${field}`)}
            onChange={(willProperties) => set({ willProperties })}
          />
        </Folded>
      )}
    </div>
  );
}
