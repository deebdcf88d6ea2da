import { useWatch } from 'react-hook-form';
import { useWords } from '../../i18n/words.ts';
import { NumberField, Text, Toggle } from '../fields.tsx';
import { Advanced, Group } from '../Group.tsx';
import { Bytes, Duration } from '../measure-fields.tsx';
import { words as kitWords } from '../words.ts';
import { bindFault, PORT_MAX } from './bind.ts';
import { listeningWords } from './words.ts';

/** What is set of any listener, whatever is spoken there. */

/** Where it listens: a port, or one of an address. */
export function BindField({ name = 'bind', standard }: { name?: string; standard?: string | undefined }) {
  const kw = useWords(kitWords);
  return (
    <Text
      name={name}
      mono
      required
      standard={standard}
      check={(value) => {
        const fault = value === '' ? null : bindFault(value);
        return fault === 'port'
          ? kw.range({ min: '0', max: String(PORT_MAX) })
          : fault === 'format'
            ? kw.format
            : null;
      }}
    />
  );
}

export function ProxyFields() {
  const w = useWords(listeningWords);
  return (
    <Group title={w.proxy}>
      <Toggle name="proxy_protocol" />
      <ProxyTimeout />
    </Group>
  );
}

function ProxyTimeout() {
  return useWatch({ name: 'proxy_protocol' }) === true ? <Duration name="proxy_protocol_timeout" /> : null;
}

const KEEPALIVE = /^none$|^\s*\d{1,9}\s*,\s*\d{1,9}\s*,\s*\d{1,9}\s*$/;

/** Of a stream; most of it the system decides by itself. */
export function TcpOptions() {
  const w = useWords(listeningWords);
  const at = (name: string) => `tcp_options.${name}`;
  return (
    <Advanced title={w.tcpOptions}>
      <NumberField name={at('backlog')} />
      <Toggle name={at('nodelay')} />
      <Text
        name={at('keepalive')}
        mono
        check={(value) => (!value || KEEPALIVE.test(String(value)) ? null : w.keepaliveFault)}
      />
      <Duration name={at('send_timeout')} />
      <Toggle name={at('send_timeout_close')} />
      <Toggle name={at('nolinger')} />
      <Toggle name={at('reuseaddr')} hint={w.systemDecides} />
      <NumberField name={at('active_n')} hint={w.systemDecides} />
      <Bytes name={at('buffer')} hint={w.systemDecides} />
      <Bytes name={at('high_watermark')} hint={w.systemDecides} />
      <Bytes name={at('recbuf')} hint={w.systemDecides} />
      <Bytes name={at('sndbuf')} hint={w.systemDecides} />
    </Advanced>
  );
}
