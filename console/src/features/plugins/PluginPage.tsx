import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Plugin, PluginMetrics } from '@mqdeck/contract/plugins';
import { useParams } from '@tanstack/react-router';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { formatBytes, formatNumber, NOTHING } from '../../ui/format.ts';
import { IconExternal, IconTrash } from '../../ui/icons.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { PluginSettings } from './PluginSettings.tsx';
import { PluginState } from './PluginState.tsx';
import { runs, troubleOf, webAddress, worstOf } from './plugin-state.ts';
import styles from './plugins.module.css';
import { Readme } from './Readme.tsx';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

export function PluginPage() {
  const { plugin: segment = '' } = useParams({ strict: false }) as { plugin?: string };
  const id = idOf(segment);
  return <OnePlugin key={id} id={id} />;
}

function OnePlugin({ id }: { id: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(
    api.plugins.get,
    { params: { name: id } },
    { quiet: true, poll: POLL_MS },
  );
  if (data) return <Found id={id} plugin={data} />;
  return (
    <MissingPage
      title={visibleText(id)}
      error={error}
      missing={{
        title: w.missing({ id: visibleText(id) }),
        text: w.missingText,
        back: <Link to={paths.plugins()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

type Whole = Plugin & { readme?: string | undefined; metrics?: PluginMetrics | undefined };

function Found({ id, plugin }: { id: string; plugin: Whole }) {
  const w = useWords(words);
  const { turn, uninstall, pending } = useDeeds();
  const [tab, open] = useUrlTab(['overview', 'settings']);
  const website = webAddress(plugin.builder?.website);
  const trouble = troubleOf(plugin);
  return (
    <Page
      title={visibleText(id)}
      purpose={visibleText(plugin.description ?? '')}
      facts={
        <span className={styles.facts}>
          <PluginState plugin={plugin} />
        </span>
      }
      actions={
        <>
          {website && (
            <Button
              component="a"
              href={website}
              target="_blank"
              rel="noopener noreferrer"
              rightSection={<IconExternal size={14} />}
            >
              {w.documentation}
            </Button>
          )}
          <Button loading={pending} onClick={() => void turn(plugin)}>
            {runs(plugin) ? w.stop : w.start}
          </Button>
          {worstOf(plugin) === 'error' && (
            <Button loading={pending} onClick={() => void turn(plugin, 'stop')}>
              {w.stop}
            </Button>
          )}
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void uninstall(plugin).then((done) => done && navigate(paths.plugins()))}
          >
            {w.uninstall}
          </Button>
        </>
      }
    >
      {trouble !== undefined && (
        <Notice is={runs(plugin) ? 'warn' : 'bad'} role="status">
          <strong>{w.trouble}:</strong> {visibleText(trouble)}
        </Notice>
      )}
      <Tabs
        label={w.tabs}
        value={tab}
        onChange={open}
        tabs={[
          { value: 'overview', label: w.overview },
          { value: 'settings', label: w.settings },
        ]}
      >
        {tab === 'overview' ? (
          <div className={styles.columns}>
            <Panel title={w.readme}>
              {plugin.readme ? <Readme text={plugin.readme} /> : <EmptyState title={w.noReadme} />}
            </Panel>
            <div className={styles.side}>
              {plugin.metrics && (
                <Panel title={w.activity}>
                  <Activity of={plugin.metrics} />
                </Panel>
              )}
              <Panel title={w.information}>
                <Information plugin={plugin} />
              </Panel>
            </div>
          </div>
        ) : (
          <Panel>
            <PluginSettings id={id} />
          </Panel>
        )}
      </Tabs>
    </Page>
  );
}

/** What it has done; only our broker tells. */
function Activity({ of }: { of: PluginMetrics }) {
  const w = useWords(words);
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const { last_error: error } = of;
  const facts: Fact[] = [
    { label: w.since, value: <RelativeTime at={of.since} /> },
    { label: w.asked, value: count(of.asked) },
    { label: w.told, value: count(of.told) },
    { label: w.failedCalls, value: count(of.failed) },
    { label: w.timedOut, value: count(of.timed_out) },
    { label: w.published, value: count(of.published) },
    { label: w.ended, value: count(of.ended) },
    { label: w.restarted, value: count(of.restarted) },
    { label: w.memory, value: of.memory === null ? NOTHING : formatBytes(of.memory, language) },
  ];
  if (error)
    facts.push({
      label: w.lastError,
      value: (
        <>
          {visibleText(error.reason)} · <RelativeTime at={error.at} />
        </>
      ),
    });
  return <Facts facts={facts} columnWidth={280} />;
}

/** Fields that brokers of different kinds and ages have; what is missing is left out. */
function Information({ plugin }: { plugin: Plugin }) {
  const w = useWords(words);
  const { builder = {} } = plugin;
  const facts: Fact[] = [
    { label: w.name, value: text(plugin.name) },
    { label: w.version, value: text(plugin.rel_vsn) },
    { label: w.authors, value: text(plugin.authors) },
    { label: w.functionality, value: text(plugin.functionality) },
    { label: w.compatibility, value: text(pairs(plugin.compatibility)) },
    { label: w.builder, value: text(builder.name) },
    { label: w.contact, value: text(builder.contact) },
    { label: w.repository, value: address(plugin.repo) },
    { label: w.built, value: text([plugin.git_ref, plugin.git_commit_or_build_date]) },
    { label: w.date, value: text(plugin.date) },
    { label: w.hooks, value: text(hooksOf(plugin.hooks, w.hookTopics)) },
  ];
  return <Facts facts={facts.filter(({ value }) => value !== '')} columnWidth={280} />;
}

function text(value: unknown): string {
  const parts = Array.isArray(value) ? value : [value];
  return visibleText(parts.filter((one) => typeof one === 'string' && one !== '').join(', '));
}

const pairs = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([name, range]) => `${name} ${String(range)}`)
    : [];

function address(value: unknown) {
  const href = typeof value === 'string' ? webAddress(value) : undefined;
  if (href === undefined) return text(value);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {visibleText(href)}
    </a>
  );
}

function hooksOf(hooks: unknown, of: (values: { name: string; topics: string }) => string): string[] {
  if (!Array.isArray(hooks)) return [];
  return hooks.flatMap((hook: { name?: unknown; topics?: unknown }) => {
    if (typeof hook?.name !== 'string') return [];
    const { name, topics } = hook;
    return Array.isArray(topics) ? [of({ name, topics: topics.map(String).join(' ') })] : [name];
  });
}
