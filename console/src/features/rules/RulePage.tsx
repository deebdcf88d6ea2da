import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Rule } from '@mqdeck/contract/rules';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { MissingPage } from '../../api/MissingPage.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { Copyable } from '../../ui/Copyable.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { State } from '../../ui/State.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlTab } from '../../url-state.ts';
import { RuleBridges } from './RuleBridges.tsx';
import { RuleOverview } from './RuleOverview.tsx';
import styles from './rules.module.css';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

type Part = 'info' | 'bridge';

/** The form brings the language of rules along: it comes when it is wanted. */
const RuleSettings = lazy(async () => ({ default: (await import('./RuleSettings.tsx')).RuleSettings }));

export const RuleInfoPage = () => <RuleByAddress part="info" />;
export const RuleBridgePage = () => <RuleByAddress part="bridge" />;

function RuleByAddress({ part }: { part: Part }) {
  const { id: segment = '' } = useParams({ strict: false }) as { id?: string };
  const id = idOf(segment);
  return <OneRule key={id} id={id} part={part} />;
}

function OneRule({ id, part }: { id: string; part: Part }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.rules.get, { params: { id } }, { quiet: true });
  // One that was just deleted elsewhere is not shown as if it were there.
  if (data && error?.status !== 404) return <Found rule={data} part={part} />;
  return (
    <MissingPage
      title={visibleText(id)}
      error={error}
      missing={{
        title: w.missing({ id: visibleText(id) }),
        text: w.missingText,
        back: <Link to={paths.rules()}>{w.back}</Link>,
      }}
      failed={w.loadFailed}
      retry={refetch}
    />
  );
}

function Found({ rule, part }: { rule: Rule; part: Part }) {
  const w = useWords(words);
  const { id, enable } = rule;
  const { turn, remove } = useDeeds();
  const [tab] = useUrlTab(['overview', 'settings']);
  const shown = part === 'bridge' ? 'bridge' : tab;
  const open = (next: 'overview' | 'settings' | 'bridge') =>
    navigate(
      next === 'bridge'
        ? paths.rule(id, 'bridge')
        : paths.rule(id, 'info', next === 'settings' ? next : undefined),
    );
  return (
    <Page
      title={visibleText(id)}
      heading={<Copyable text={id} />}
      facts={
        <span className={styles.keyFacts}>
          <State is={enable ? 'enabled' : 'disabled'} />
          {rule.description && <span>{visibleText(rule.description)}</span>}
        </span>
      }
      actions={
        <>
          <EnableSwitch
            on={enable}
            label={w.enableOf({ id: visibleText(id) })}
            text={w.enable}
            onChange={(on) => turn(rule, on)}
          />
          <Link to={paths.logTraceCreate('ruleid', id)}>{w.trace}</Link>
          <Button onClick={() => navigate(paths.ruleCreate({ copy: id }))}>{w.duplicate}</Button>
          <Button
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => void remove(rule).then((done) => done && navigate(paths.rules()))}
          >
            {w.remove}
          </Button>
        </>
      }
    >
      <Tabs
        label={w.tabs}
        value={shown}
        onChange={open}
        tabs={[
          { value: 'overview', label: w.overview },
          { value: 'settings', label: w.settings },
          { value: 'bridge', label: w.bridges },
        ]}
      >
        {shown === 'overview' ? (
          <RuleOverview rule={rule} />
        ) : shown === 'settings' ? (
          <Panel>
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <RuleSettings rule={rule} />
            </Suspense>
          </Panel>
        ) : (
          <RuleBridges rule={rule} />
        )}
      </Tabs>
    </Page>
  );
}
