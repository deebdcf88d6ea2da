import { parseDuration } from '@mqdeck/contract/kit/values';
import type { SysmonSettings } from '@mqdeck/contract/sysmon';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import type { Alarms } from './alarms.ts';
import { type Measure, thisMachine } from './measure.ts';
import { orderFault } from './watermarks.ts';

/** Raises and clears the alarms of the machine as the settings say; the returned function ends it. */
export function startSystemChecks(
  core: Core,
  alarms: Alarms,
  settings: SettingsStore,
  measure: Measure = thisMachine(),
): () => void {
  const timers = new Map<string, Timer>();
  const repeat = (name: string, interval: string | number, check: () => void) => {
    timers.get(name)?.cancel();
    if (interval === 'disabled') return;
    const go = () => {
      timers.set(name, core.timers.after(parseDuration(interval)!, go));
      check();
    };
    timers.set(name, core.timers.after(parseDuration(interval)!, go));
  };
  const follow = ({ os, vm }: SysmonSettings) => {
    repeat('cpu', os.cpu_check_interval, () => checkCpu(alarms, measure, os));
    repeat('memory', os.mem_check_interval, () => checkMemory(alarms, measure, os));
    repeat('connections', vm.process_check_interval, () => {
      checkConnections(alarms, core.gauges.get('live_connections'), measure, vm);
      checkEventLoop(alarms, measure, vm);
    });
    if (vm.long_schedule === 'disabled') alarms.deactivate(LAG_ALARM);
    if (os.mem_check_interval === 'disabled') {
      alarms.deactivate('high_system_memory_usage');
      alarms.deactivate('high_process_memory_usage');
    }
  };
  settings.guard('sysmon', (values) => {
    const fault = orderFault(values);
    if (fault) throw new SettingsFault(fault.path, fault.reason);
  });
  follow(settings.get('sysmon'));
  const off = settings.onChange('sysmon', follow);
  return () => {
    off();
    for (const timer of timers.values()) timer.cancel();
    measure.close?.();
  };
}

export function checkCpu(alarms: Alarms, measure: Measure, os: SysmonSettings['os']): void {
  const usage = measure.cpuUsedPercent();
  if (usage === null) return;
  const [high, low] = [Number.parseFloat(os.cpu_high_watermark), Number.parseFloat(os.cpu_low_watermark)];
  if (usage >= high) {
    const details = { high_watermark: high, low_watermark: low, usage: rounded(usage) };
    alarms.activate('high_cpu_usage', `${rounded(usage)}% cpu usage`, details);
  } else if (usage <= low) {
    alarms.deactivate('high_cpu_usage'); // in between it stays as it was
  }
}

export function checkMemory(alarms: Alarms, measure: Measure, os: SysmonSettings['os']): void {
  const check = (name: string, what: string, percent: number, watermark: string) => {
    const usage = rounded(percent);
    const high = Number.parseFloat(watermark);
    if (usage > high) alarms.activate(name, `${usage}% ${what}`, { high_watermark: high, usage });
    else alarms.deactivate(name);
  };
  check('high_system_memory_usage', 'mem usage', measure.memoryUsedPercent(), os.sysmem_high_watermark);
  check(
    'high_process_memory_usage',
    'of the memory is taken by the broker',
    measure.processMemoryPercent(),
    os.procmem_high_watermark,
  );
}

export function checkConnections(
  alarms: Alarms,
  connections: number,
  { filesMax }: Measure,
  vm: SysmonSettings['vm'],
): void {
  if (filesMax === null) return;
  const usage = rounded((100 * connections) / filesMax);
  const high = Number.parseFloat(vm.process_high_watermark);
  const low = Number.parseFloat(vm.process_low_watermark);
  if (usage >= high) {
    const details = { high_watermark: high, low_watermark: low, usage, connections, files_max: filesMax };
    alarms.activate(
      'too_many_connections',
      `${usage}% of the files that may be open are connections`,
      details,
    );
  } else if (usage <= low) alarms.deactivate('too_many_connections');
}

/** Everybody waits while the broker is busy with one thing: once is told in the log, more often is an alarm. */
export function checkEventLoop(alarms: Alarms, measure: Measure, vm: SysmonSettings['vm']): void {
  if (vm.long_schedule === 'disabled') return;
  const high = parseDuration(vm.long_schedule)!;
  const delay = Math.round(measure.eventLoopDelayMs());
  if (delay >= high)
    alarms.activate(LAG_ALARM, `the broker answers up to ${delay} ms late`, {
      delay_ms: delay,
      high_watermark_ms: high,
    });
  else if (delay <= high / 2) alarms.deactivate(LAG_ALARM);
}

const LAG_ALARM = 'high_event_loop_delay';

const rounded = (percent: number): number => Math.round(percent * 100) / 100;
