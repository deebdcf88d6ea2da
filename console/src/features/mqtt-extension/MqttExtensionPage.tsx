import { useWords } from '../../i18n/words.ts';
import { Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useUrlTab } from '../../url-state.ts';
import { AutoSubscribeTab } from './AutoSubscribeTab.tsx';
import { DelayedMessagesTab } from './DelayedMessagesTab.tsx';
import { DelayedSettingsTab } from './DelayedSettingsTab.tsx';
import { ExclusiveTab } from './ExclusiveTab.tsx';
import { TopicRewriteTab } from './TopicRewriteTab.tsx';
import { words } from './words.ts';

const TABS = ['topic-rewrite', 'auto-subscribe', 'delayed', 'delayed-messages', 'exclusive'] as const;
const PANELS = {
  'topic-rewrite': TopicRewriteTab,
  'auto-subscribe': AutoSubscribeTab,
  delayed: DelayedSettingsTab,
  'delayed-messages': DelayedMessagesTab,
  exclusive: ExclusiveTab,
};

export function MqttExtensionPage() {
  const w = useWords(words);
  const [tab, setTab] = useUrlTab(TABS);
  const labels = {
    'topic-rewrite': w.topicRewrite,
    'auto-subscribe': w.autoSubscribe,
    delayed: w.delayed,
    'delayed-messages': w.delayedMessages,
    exclusive: w.exclusive,
  };
  const Panel = PANELS[tab];
  return (
    <Page title={w.title} purpose={w.purpose}>
      <Tabs
        tabs={TABS.map((value) => ({ value, label: labels[value] }))}
        value={tab}
        onChange={setTab}
        label={w.title}
      >
        <Panel />
      </Tabs>
    </Page>
  );
}
