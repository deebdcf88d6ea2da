import { LAST_SECOND } from '@mqdeck/contract/kit/moment';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { FlappingDetect } from '@mqdeck/contract/zones';
import * as z from 'zod/mini';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { Blacklist } from './banned.ts';

/** In a generation of those that have left: so many clients, and so many times of all of them together. */
const CLIENTS_MAX = 50_000;
const TIMES_MAX = 500_000;
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

  function follow(): void {
    off?.();
    off = null;
    const everywhere = settings.get('flapping_detect');
    const general = new Departures(everywhere);
    const zones = new Map(
      Object.entries(settings.get('zones')).flatMap(([name, { flapping_detect: own }]) =>
        own ? [[name, new Departures(z.parse(FlappingDetect, { ...everywhere, ...own }))] as const] : [],
      ),
    );
    if (![general, ...zones.values()].some(({ detect }) => detect.enable)) return;
    off = core.hooks.on(
      'client.disconnected',
      (client, reason) => {
        const departures = zones.get(core.entrance(client.listener).zone) ?? general;
        if (!departures.detect.enable || OURS.has(reason)) return;
        if (departures.add(client.clientid, core.clock.now)) ban(client, departures.detect);
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
        until: endOf(core.clock.now + lengthMs(ban_time)),
      })
      .catch((err: unknown) => core.log.error({ err, clientid }, 'a flapping client could not be banned'));
  }

  follow();
  const ends = [settings.onChange('flapping_detect', follow), settings.onChange('zones', follow)];
  return () => {
    for (const end of ends) end();
    off?.();
  };
}

/** Epoch seconds; null = never, which is also what no calendar has. */
function endOf(atMs: number): number | null {
  const second = Math.ceil(atMs / 1000);
  return second > LAST_SECOND ? null : second;
}

const lengthMs = (duration: string | number): number => parseDuration(duration) ?? 0;

/**
 * Keeps when clients have left within the window, in two generations: when the young one is full, the old one is
 * forgotten as a whole, and with it those that left longest ago.
 */
class Departures {
  readonly detect: FlappingDetect;
  private readonly windowMs: number;
  private readonly maxCount: number;
  private young = new Map<string, number[]>();
  private old = new Map<string, number[]>();
  private youngTimes = 0;

  constructor(detect: FlappingDetect) {
    const { window_time, max_count } = detect;
    this.detect = detect;
    this.windowMs = lengthMs(window_time);
    this.maxCount = Math.max(1, max_count);
  }

  /** True when this was one time too many. */
  add(clientid: string, now: number): boolean {
    const known = this.young.get(clientid);
    const before = known ?? this.old.get(clientid) ?? [];
    const times = before.filter((time) => now - time < this.windowMs);
    times.push(now);
    this.old.delete(clientid);
    this.youngTimes += times.length - (known?.length ?? 0);
    this.young.set(clientid, times);
    if (times.length >= this.maxCount) {
      this.young.delete(clientid);
      this.youngTimes -= times.length;
      return true;
    }
    if (this.young.size > CLIENTS_MAX || this.youngTimes > TIMES_MAX) {
      this.old = this.young;
      this.young = new Map();
      this.youngTimes = 0;
    }
    return false;
  }
}
