import { Button } from '@mantine/core';
import { EXHOOK_NAME, EXHOOK_NAME_MAX, isGrpcUrl } from '@mqdeck/contract/exhooks';
import type { DurationUnit } from '@mqdeck/contract/kit/values';
import { useWatch } from 'react-hook-form';
import { NumberField, Text, Toggle } from '../../form/fields.tsx';
import { Group } from '../../form/Group.tsx';
import { Duration } from '../../form/measure-fields.tsx';
import { Select } from '../../form/Select.tsx';
import { Tls } from '../../form/Tls.tsx';
import { useWords } from '../../i18n/words.ts';
import { IconDownload } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { formWords } from './form-words.ts';
import { NEW_SERVER } from './servers.ts';

const UNITS: readonly DurationUnit[] = ['ms', 's', 'm', 'h', 'd'];
const SHORTEST = '1ms';
const ACTIONS = { deny: formWords.deny, ignore: formWords.ignore };

async function saveProto(): Promise<void> {
  const { exhookProto } = await import('@mqdeck/contract/protos/exhook');
  saveFile('exhook.proto', [exhookProto], 'text/plain');
}

export function ExhookFields() {
  const w = useWords(formWords);
  const reconnects = useWatch({ name: 'reconnect' }) !== false;
  return (
    <>
      <Group title={w.server} text={w.serverText}>
        <div>
          <Button leftSection={<IconDownload size={15} />} onClick={() => void saveProto()}>
            {w.saveProto}
          </Button>
        </div>
        <Text
          name="name"
          check={(value) => {
            const name = String(value ?? '');
            return name === '' || (EXHOOK_NAME.test(name) && name.length <= EXHOOK_NAME_MAX)
              ? null
              : w.nameFault;
          }}
          required
          mono
        />
        <Text
          name="url"
          placeholder="http://127.0.0.1:9000"
          check={(value) => (!value || isGrpcUrl(String(value)) ? null : w.urlFault)}
          required
          mono
        />
        <Duration name="request_timeout" units={UNITS} min={SHORTEST} required />
        <Select name="failed_action" labels={ACTIONS} required />
      </Group>
      <Group title={w.connection}>
        <NumberField name="pool_size" required standard={NEW_SERVER.pool_size} />
        <Toggle name="reconnect" />
        {reconnects && <Duration name="auto_reconnect" units={UNITS} min={SHORTEST} required />}
        <Tls name="ssl" />
      </Group>
    </>
  );
}
