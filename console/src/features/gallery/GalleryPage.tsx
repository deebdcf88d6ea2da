import {
  ActionIcon,
  Button,
  Checkbox,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  TextInput,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { useLanguage } from '../../i18n/words.ts';
import { ActionMenu } from '../../ui/ActionMenu.tsx';
import { Copyable } from '../../ui/Copyable.tsx';
import { confirm } from '../../ui/confirm.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Facts } from '../../ui/Facts.tsx';
import {
  formatBytes,
  formatCompact,
  formatDuration,
  formatDurationShort,
  formatNumber,
  formatPercent,
  formatRate,
  formatTime,
} from '../../ui/format.ts';
import * as icons from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonFacts, SkeletonRows } from '../../ui/Skeleton.tsx';
import { Mark, State, type StateName } from '../../ui/State.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { toast } from '../../ui/toast.ts';
import { useUrlTab } from '../../url-state.ts';
import { ChartSamples } from './ChartSamples.tsx';
import { EditorSamples } from './EditorSamples.tsx';
import styles from './GalleryPage.module.css';
import { OrderSample } from './OrderSample.tsx';

const surfaces = ['page', 'panel', 'raised', 'hover', 'line', 'line-strong', 'control-line'];
const texts = ['text', 'text-secondary', 'text-faint', 'accent', 'good', 'warn', 'bad', 'off', 'busy'];
const series = [1, 2, 3, 4, 5, 6].map((nr) => `series-${nr}`);
const sizes = [
  ['label', '12'],
  ['table', '13'],
  ['text', '14'],
  ['section', '16'],
  ['title', '20'],
  ['figure', '28'],
];
const states: StateName[] = [
  'connected',
  'connecting',
  'disconnected',
  'disconnecting',
  'reconnecting',
  'retrying',
  'enabled',
  'disabled',
  'running',
  'waiting',
  'stopped',
  'notInstalled',
  'error',
  'inconsistent',
];
const SAMPLE_MS = 93_784_000;

/** Every part of the kit on one page, for those who change it; in English, as the code is. */
export function GalleryPage() {
  const language = useLanguage();
  const [tab, setTab] = useUrlTab(['one', 'two']);
  const [sampleAt] = useState(() => Date.now() - SAMPLE_MS);
  return (
    <Page
      title="Gallery"
      purpose="Every part of the kit, in the theme and language of the moment."
      facts="13 states"
    >
      <Panel title="Surfaces and lines">
        <Row>
          {surfaces.map((name) => (
            <Swatch key={name} name={name} />
          ))}
        </Row>
      </Panel>
      <Panel title="Text, states, series">
        <Row>
          {texts.map((name) => (
            <span key={name} style={{ color: `var(--${name})` }}>
              {name} 12,345
            </span>
          ))}
        </Row>
        <Row>
          {series.map((name) => (
            <Swatch key={name} name={name} />
          ))}
        </Row>
      </Panel>
      <Panel title="Type">
        {sizes.map(([name, px]) => (
          <div key={name} style={{ fontSize: `var(--size-${name})` }}>
            {px} · {name} · 1,187 clients 客户端
          </div>
        ))}
      </Panel>
      <Panel title="States">
        <Row>
          {states.map((name) => (
            <State key={name} is={name} />
          ))}
          <Mark tone="bad">2 alarms</Mark>
        </Row>
      </Panel>
      <Panel title="Buttons">
        <Row>
          <Button variant="filled">Primary</Button>
          <Button>Default</Button>
          <Button variant="light">Light</Button>
          <Button variant="subtle">Subtle</Button>
          <Button variant="filled" color="red">
            Cannot be undone
          </Button>
          <Button disabled>Disabled</Button>
          <Button loading>Loading</Button>
          <ActionIcon aria-label="Refresh">
            <icons.IconRefresh />
          </ActionIcon>
          <ActionMenu
            actions={[
              { label: 'Copy', run: () => toast('info', 'Copied') },
              { label: 'Kick out', run: () => undefined, disabledReason: 'Not connected' },
              { label: 'Delete', run: () => undefined, danger: true },
            ]}
          />
        </Row>
        <Row>
          <Button
            onClick={() => toast('good', 'Kicked out 12 clients', { label: 'Undo', run: () => undefined })}
          >
            Toast with undo
          </Button>
          <Button onClick={() => toast('bad', '500 INTERNAL_ERROR:The broker failed')}>Failure</Button>
          <Button
            onClick={() =>
              void confirm({ title: 'Kick out 12 clients?', text: 'They may reconnect at once.' })
            }
          >
            Question
          </Button>
          <Button
            onClick={() =>
              void confirm({
                title: 'Delete user fleet-admin?',
                text: 'This cannot be undone.',
                action: 'Delete',
                danger: true,
              })
            }
          >
            Dangerous question
          </Button>
        </Row>
      </Panel>
      <Panel title="Fields">
        <div className={styles.fields}>
          <TextInput label="Name" placeholder="default" />
          <TextInput label="Name" defaultValue="1 bad" error="Begin with a letter" />
          <TextInput label="Disabled" defaultValue="fixed" disabled />
          <PasswordInput label="Secret" visibilityToggleButtonProps={{ 'aria-label': 'Show' }} />
          <NumberInput label="Batch size" defaultValue={100} />
          <Select label="QoS" data={['0', '1', '2']} defaultValue="1" />
          <Checkbox label="Retain" defaultChecked />
          <Switch label="Enabled" defaultChecked />
        </div>
      </Panel>
      <Panel title="Facts and formats">
        <Facts
          facts={[
            { label: 'Client ID', value: <Copyable text="sensor-0042" /> },
            { label: 'Odd id', value: <Copyable text={'a\u202eb\u0000c/d 客户端'} /> },
            { label: 'Number', value: formatNumber(1_234_567, language) },
            { label: 'Compact', value: formatCompact(1_234_567, language) },
            { label: 'Rate', value: `${formatRate(12.345, language)}/s` },
            { label: 'Percent', value: formatPercent(0.427, language) },
            { label: 'Bytes', value: formatBytes(1_610_612_736, language) },
            { label: 'Duration', value: formatDuration(SAMPLE_MS, language) },
            { label: 'Short', value: formatDurationShort(SAMPLE_MS, language) },
            { label: 'Moment', value: formatTime(sampleAt, language) },
            { label: 'Relative', value: <RelativeTime at={sampleAt} /> },
            { label: 'Nothing', value: null },
          ]}
        />
      </Panel>
      <Tabs
        label="Sample"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'one', label: 'Empty and failed' },
          { value: 'two', label: 'Loading', count: 2 },
        ]}
      >
        {tab === 'one' ? (
          <div className={styles.fields}>
            <Panel>
              <EmptyState
                title="No client matches these filters."
                text="1,204 clients are known to this cluster."
                action={<Button>Clear filters</Button>}
              />
            </Panel>
            <Panel>
              <ErrorState text="502 Network error" retry={() => undefined} />
            </Panel>
            <Panel>
              <NotAvailable />
            </Panel>
          </div>
        ) : (
          <>
            <SkeletonFacts />
            <SkeletonRows rows={4} />
          </>
        )}
      </Tabs>
      <OrderSample />
      <EditorSamples />
      <ChartSamples />
      <Panel title="Icons">
        <Row>
          {Object.entries(icons).map(([name, Sign]) => (
            <span key={name} title={name}>
              <Sign size={20} />
            </span>
          ))}
        </Row>
      </Panel>
    </Page>
  );
}

const Row = ({ children }: { children: ReactNode }) => <div className={styles.row}>{children}</div>;

const Swatch = ({ name }: { name: string }) => (
  <span className={styles.swatch}>
    <span style={{ background: `var(--${name})` }} />
    {name}
  </span>
);
