import { api } from '@mqdeck/contract/api';
import type { ExhookDetail } from '@mqdeck/contract/exhooks';
import { useEffect, useState } from 'react';
import { ContractForm } from '../../form/ContractForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { Page, Panel } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { ExhookFields } from './ExhookFields.tsx';
import { formWords } from './form-words.ts';
import { bodyFrom, NEW_SERVER } from './servers.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

export function ExhookCreatePage() {
  const w = useWords(words);
  const { turn } = useDeeds();
  const [created, setCreated] = useState(false);
  // Only when the form is gone, so that it does not ask whether to leave.
  useEffect(() => {
    if (created) navigate(paths.exhooks());
  }, [created]);

  function finish(server: ExhookDetail) {
    toast('good', w.created({ name: visibleText(server.name) }), {
      label: w.enableNow,
      run: () => void turn(server, true),
    });
    setCreated(true);
  }
  return (
    <Page
      title={w.createTitle}
      purpose={w.createPurpose}
      actions={<Link to={paths.exhooks()}>{w.back}</Link>}
    >
      <Panel>
        {!created && (
          <ContractForm
            endpoint={api.exhooks.create}
            initial={NEW_SERVER}
            words={formWords}
            toBody={bodyFrom}
            refresh={[api.exhooks.list]}
            onCancel={() => navigate(paths.exhooks())}
            onDone={finish}
          >
            <ExhookFields />
          </ContractForm>
        )}
      </Panel>
    </Page>
  );
}
