import { parseDuration } from '@mqdeck/contract/kit/values';
import type { FlappingDetect } from '@mqdeck/contract/zones';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { Blacklist } from './banned.ts';

/** Of so many clients it is known when they left; then those are forgotten that left longest ago. */
const CLIENTS_MAX = 50_000;
const TIMES_MAX = 1_000_000; // of all clients together
/** Whoever makes names up by the million shall not fill the blacklist. */
const BANS_MAX = 100_000;
const BY = 'flapping detector';
const OWNER = 'flapping';
/** Ends of connections that are not the client's doing. */
const OURS = new Set(['kicked', 'server_shutting_down']);

/** Bans clients that come and go too often. The answer ends it. */
export function startFlappingDetection(
  core: Core,
  settings: SettingsStore,
  blacklist: Blacklist,
): () => void {
  let off: (() => void) | null = null;

  function follow(detect: FlappingDetect): void {
    off?.();
    off = null;
    if (!detect.enable) return;
    const departures = new Departures(detect);
    off = core.hooks.on(
      'client.disconnected',
      (client, reason) => {
        if (OURS.has(reason) || !departures.add(client.clientid, core.clock.now)) return;
        ban(client, detect);
      },
      { owner: OWNER },
    );
  }

  function ban({ clientid, address }: Client, { max_count, window_time, ban_time }: FlappingDetect): void {
    if (blacklist.bans.size >= BANS_MAX) {
      core.log.warn({ clientid }, 'a flapping client is not banned: the blacklist is too long');
      return;
    }
    const at = Math.floor(core.clock.now / 1000);
    const reason = `Disconnected ${Math.max(1, max_count)} times within ${window_time}, last from ${address}`;
    core.log.info({ clientid, address, max_count, window_time }, 'a flapping client is banned');
    blacklist
      .add({
        as: 'clientid',
        who: clientid,
        by: BY,
        reason,
        at,
        until: Math.ceil(core.clock.now / 1000 + lengthMs(ban_time) / 1000),
      })
      .catch((err: unknown) => core.log.error({ err, clientid }, 'a flapping client could not be banned'));
  }

  follow(settings.get('flapping_detect'));
  const stop = settings.onChange('flapping_detect', follow);
  return () => {
    stop();
    off?.();
  };
}

const lengthMs = (duration: string | number): number => parseDuration(duration) ?? 0;

/** Keeps when clients have left within the window, those that left last at the end. */
class Departures {
  private readonly windowMs: number;
  private readonly maxCount: number;
  private readonly times = new Map<string, number[]>();
  private total = 0;

  constructor({ window_time, max_count }: FlappingDetect) {
    this.windowMs = lengthMs(window_time);
    this.maxCount = Math.max(1, max_count);
  }

  /** True when this was one time too many. */
  add(clientid: string, now: number): boolean {
    const before = this.times.get(clientid) ?? [];
    this.forget(clientid, before);
    const times = before.filter((time) => now - time < this.windowMs);
    times.push(now);
    if (times.length >= this.maxCount) return true;
    this.times.set(clientid, times);
    this.total += times.length;
    for (const [oldest, its] of this.times) {
      if (this.times.size <= CLIENTS_MAX && this.total <= TIMES_MAX) break;
      this.forget(oldest, its);
    }
    return false;
  }

  private forget(clientid: string, times: number[]): void {
    if (this.times.delete(clientid)) this.total -= times.length;
  }
}
