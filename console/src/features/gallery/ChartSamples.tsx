import { useState } from 'react';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { ChartGroup, type TimeRange } from '../../charts/ChartGroup.tsx';
import { Donut } from '../../charts/Donut.tsx';
import { Sparkline } from '../../charts/Sparkline.tsx';
import type { TimeSeries } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { useLanguage } from '../../i18n/words.ts';
import { formatNumber, formatRate } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import styles from './GalleryPage.module.css';

const COUNT = 120;
const STEP_MS = 30_000;
const BEGIN = Date.UTC(2026, 10, 21, 2);
const times = Array.from({ length: COUNT }, (_, i) => BEGIN + i * STEP_MS);
/** A wave with a gap, so that both can be looked at. */
const wave = (height: number, speed: number): (number | null)[] =>
  times.map((_, i) => (i > 50 && i < 60 ? null : height * (1.5 + Math.sin(i / speed))));
const one: TimeSeries[] = [{ id: 'in', label: 'In', values: wave(400, 9), color: 1, area: true }];
const two: TimeSeries[] = [
  { id: 'sessions', label: 'Sessions', values: wave(820, 14), color: 4 },
  { id: 'live', label: 'Live', values: wave(780, 14), color: 3, area: true },
];
const whole: TimeRange = [BEGIN, BEGIN + COUNT * STEP_MS];

/** Every kind of chart, with made-up values. */
export function ChartSamples() {
  const language = useLanguage();
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const count = (value: number) => formatNumber(value, language);
  return (
    <>
      <ChartGroup range={whole} zoom={zoom} onZoom={setZoom}>
        <div className={styles.fields}>
          <TimeChart
            title="Rate"
            unit="msg/s"
            times={times}
            series={one}
            format={(value) => formatRate(value, language)}
          />
          <TimeChart title="Two lines" times={times} series={two} format={count} />
          <TimeChart title="Nothing" times={[]} series={[]} format={count} />
        </div>
      </ChartGroup>
      <Panel title="Small charts">
        <div className={styles.fields}>
          <Sparkline values={wave(10, 9)} color={2} />
          <div>
            {[12, 80, 97].map((used) => (
              <BarMeter key={used} label="Sample" used={used} total={100} format={count} />
            ))}
          </div>
          <Donut
            middle="1,204"
            format={count}
            parts={[
              { label: 'QoS 0', value: 800, color: 1 },
              { label: 'QoS 1', value: 380, color: 3 },
              { label: 'QoS 2', value: 24, color: 2 },
            ]}
          />
        </div>
      </Panel>
    </>
  );
}
