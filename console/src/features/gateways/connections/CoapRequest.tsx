import { api } from '@mqdeck/contract/api';
import type { CoapAnswer } from '@mqdeck/contract/gateway-devices';
import { useState } from 'react';
import { ContractForm } from '../../../form/ContractForm.tsx';
import { TextArea } from '../../../form/fields.tsx';
import { Duration } from '../../../form/measure-fields.tsx';
import { Select } from '../../../form/Select.tsx';
import { useWords } from '../../../i18n/words.ts';
import { Panel } from '../../../ui/Page.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import styles from '../gateways.module.css';
import { deviceWords } from './device-words.ts';

const INITIAL = { method: 'get', content_type: 'text/plain', timeout: '10s', payload: '' };
const SECONDS = ['s'] as const;
/** Within the time that every call has. */
const WAIT_MAX = '15s';
/** A request that was not sent is no loss. */
const notMissed = () => undefined;

/** Asks a device of CoAP and shows what it says. */
export function CoapRequest({ clientid }: { clientid: string }) {
  const w = useWords(deviceWords);
  const [answer, setAnswer] = useState<CoapAnswer>();
  return (
    <Panel title={w.request}>
      <div className={styles.asking}>
        <ContractForm
          endpoint={api.gatewayDevices.requestCoap}
          params={{ clientid }}
          initial={INITIAL}
          words={deviceWords}
          submitLabel={w.send}
          onUnsaved={notMissed}
          onDone={setAnswer}
        >
          <p className={styles.askingText}>{w.requestText}</p>
          <Select name="method" required />
          <Select name="content_type" required />
          <TextArea name="payload" mono rows={3} />
          <Duration name="timeout" units={SECONDS} min="1s" max={WAIT_MAX} />
        </ContractForm>
        <section aria-label={w.answer} aria-live="polite">
          {answer && (
            <>
              <p className={styles.askingText}>{w.answerCode({ code: visibleText(answer.method) })}</p>
              {answer.payload === '' ? (
                <p className={styles.askingText}>{w.emptyAnswer}</p>
              ) : (
                <pre className={styles.answer}>{visibleText(answer.payload)}</pre>
              )}
            </>
          )}
        </section>
      </div>
    </Panel>
  );
}
