import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { useAvailable } from '../../api/features.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { confirm } from '../../ui/confirm.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlState, useUrlTab } from '../../url-state.ts';
import { BanDrawer } from './BanDrawer.tsx';
import { BannedTab } from './BannedTab.tsx';
import { isKind } from './ban.ts';
import { FlappingTab } from './FlappingTab.tsx';
import { RefusedTab } from './RefusedTab.tsx';
import { words } from './words.ts';

const TABS = ['banned', 'refused', 'flapping'] as const;
const PANELS = { banned: BannedTab, refused: RefusedTab, flapping: FlappingTab };
const COUNT_MS = 10_000;

export function BlacklistPage() {
  const w = useWords(words);
  const [tab, setTab] = useUrlTab(TABS);
  const { values, set } = useUrlState();
  const labels = { banned: w.tabBans, refused: w.tabRefused, flapping: w.tabFlapping };
  const Panel = PANELS[tab];
  // Links lead here with the form open and filled in: `?ban=clientid&who=sensor-1`.
  const asked = values.ban !== undefined;
  const as = isKind(values.ban) ? values.ban : 'clientid';
  const who = typeof values.who === 'string' ? values.who : '';
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      actions={
        <>
          <Link to={paths.accessTest()}>{w.testAccess}</Link>
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => set({ ban: 'clientid' }, 'push')}
          >
            {w.add}
          </Button>
          {tab === 'banned' && <ClearAll />}
        </>
      }
    >
      <Tabs
        tabs={TABS.map((value) => ({ value, label: labels[value] }))}
        value={tab}
        onChange={setTab}
        label={w.title}
      >
        <Panel />
      </Tabs>
      <BanDrawer
        as={as}
        who={who}
        opened={asked}
        onClose={() => set({ ban: undefined, who: undefined }, 'replace')}
      />
    </Page>
  );
}

/** Lifts every ban, whatever the list shows, after a question that says how many. */
function ClearAll() {
  const w = useWords(words);
  const available = useAvailable(api.banned.clear);
  const { data, refetch } = useEndpoint(
    api.banned.list,
    { query: { limit: 1 } },
    { quiet: true, progress: false, poll: COUNT_MS },
  );
  const count = data?.meta.count;
  const clear = useAction(api.banned.clear, {
    refresh: [api.banned.list, api.refusedConnections.list],
    success: w.cleared,
  });
  const ask = async () => {
    // As many as there are now: others may have been lifted since the last look.
    const now = (await refetch()).data?.meta.count;
    const yes = await confirm({
      title: w.clearAsk,
      text: now === undefined ? w.clearTextUncounted : w.clearText({ count: now }),
      action: w.clear,
      danger: true,
    });
    if (yes) await clear({});
  };
  const why = !available ? w.clearUnavailable : count === 0 ? w.nothingToClear : undefined;
  return (
    <Button
      color="red"
      variant="light"
      disabled={why !== undefined}
      title={why}
      loading={clear.pending}
      onClick={() => void ask()}
    >
      {w.clear}
    </Button>
  );
}
