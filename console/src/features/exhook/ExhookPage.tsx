import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { ExhookDetail } from '@mqdeck/contract/exhooks';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { SettingsForm } from '../../form/SettingsForm.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { ExhookFields } from './ExhookFields.tsx';
import { ExhookHooks } from './ExhookHooks.tsx';
import { ExhookOverview } from './ExhookOverview.tsx';
import { formWords } from './form-words.ts';
import { bodyFrom, nodesOf, valuesFrom, worstOf } from './servers.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const TABS = ['overview', 'hooks', 'settings'] as const;

export function ExhookPage() {
  const { name: segment = '' } = useParams({ strict: false }) as { name?: string };
  const name = idOf(segment);
  return <OneServer key={name} name={name} />;
}

function OneServer({ name }: { name: string }) {
  const w = useWords(words);
  const refresh = usePolling();
  const found = useEndpoint(api.exhooks.get, { params: { name } }, { quiet: true, poll: refresh.poll });
  const { data, error, refetch } = found;
  if (data) return <Found server={data} refresh={refresh.control(found)} />;
  const shown = visibleText(name);
  return (
    <MissingPage
      title={shown}
      error={error}
      missing={{
        title: w.missing({ name: shown }),
        text: w.missingText,
        back: <Link to={paths.exhooks()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

function Found({ server, refresh }: { server: ExhookDetail; refresh: React.ReactNode }) {
  const w = useWords(words);
  const { turn, remove } = useDeeds();
  const [tab, open] = useUrlTab(TABS);
  const name = visibleText(server.name);
  const state = worstOf(server);
  return (
    <Page
      title={name}
      facts={state && <NodeStates is={state} nodes={server.enable ? nodesOf(server) : []} name={name} />}
      actions={
        <>
          <EnableSwitch
            on={server.enable}
            label={w.enableOf({ name })}
            text={w.enable}
            onChange={(on) => turn(server, on)}
          />
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void remove(server).then((done) => done && navigate(paths.exhooks()))}
          >
            {w.remove}
          </Button>
        </>
      }
    >
      <Tabs
        label={w.tabs}
        value={tab}
        onChange={open}
        tabs={TABS.map((value) => ({ value, label: w[value] }))}
      >
        {tab === 'overview' ? (
          <ExhookOverview server={server} refresh={refresh} />
        ) : tab === 'hooks' ? (
          <ExhookHooks name={server.name} />
        ) : (
          <Settings name={server.name} />
        )}
      </Tabs>
    </Page>
  );
}

function Settings({ name }: { name: string }) {
  const [saved, setSaved] = useState(name);
  // Only when nothing is unsaved any more, so that the form does not ask whether to leave.
  useEffect(() => {
    if (saved !== name) navigate(`${paths.exhook(saved)}?tab=settings`);
  }, [saved, name]);
  return (
    <Panel>
      <SettingsForm
        load={api.exhooks.get}
        save={api.exhooks.update}
        params={{ name }}
        words={formWords}
        fromAnswer={valuesFrom}
        toBody={bodyFrom}
        refresh={[api.exhooks.list, api.exhooks.hooks]}
        onSaved={(server) => setSaved(server.name)}
      >
        <ExhookFields />
      </SettingsForm>
    </Panel>
  );
}
