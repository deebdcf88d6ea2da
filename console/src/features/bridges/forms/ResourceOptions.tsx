import { type BridgeType, bridgeTypes } from '@mqdeck/contract/bridges/types';
import { useWatch } from 'react-hook-form';
import { NumberField, Toggle } from '../../../form/fields.tsx';
import { Advanced } from '../../../form/Group.tsx';
import { Bytes, Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from './form-words.ts';

const MODES = { sync: words.sync, async: words.async };
const INFINITY = { value: 'infinity', label: words.infinity };
const NEVER = { value: 'infinity', label: words.never };

/** How rows are buffered, batched and retried, and how the target is watched; only what this type can do. */
export function ResourceOptions({ type }: { type: BridgeType }) {
  const w = useWords(words);
  const { batches, async: mayAsync } = bridgeTypes[type];
  const [mode, sends, buffer]: unknown[] = useWatch({
    name: ['resource_opts.query_mode', 'has_egress', 'resource_opts.buffer_mode'],
  });
  const fetchesOnly = 'ingressOnly' in bridgeTypes[type] || (type === 'mqtt' && sends === false);
  return (
    <Advanced title={w.resources}>
      <NumberField
        name="resource_opts.worker_pool_size"
        unit={w.workers}
        min={0}
        integer
        check={(value) => (value === 0 && !fetchesOnly ? w.workersFault : null)}
      />
      {mayAsync && (
        <Select name="resource_opts.query_mode" options={Object.keys(MODES)} labels={MODES} required />
      )}
      {mayAsync && mode === 'async' && (
        <NumberField name="resource_opts.inflight_window" unit={w.requests} integer />
      )}
      {batches && <NumberField name="resource_opts.batch_size" unit={w.rows} integer />}
      {batches && <Duration name="resource_opts.batch_time" />}
      <Toggle name="resource_opts.buffer_mode" on="disk" off="memory" />
      <Bytes name="resource_opts.max_buffer_bytes" />
      <Duration
        name="resource_opts.request_ttl"
        special={INFINITY}
        standard={buffer === 'disk' ? 'infinity' : '45s'}
        hint={buffer === 'disk' ? w.ttlOnDisk : undefined}
      />
      <Duration name="resource_opts.health_check_interval" />
      <Duration name="resource_opts.auto_restart_interval" special={NEVER} />
      <Duration name="resource_opts.start_timeout" />
    </Advanced>
  );
}
