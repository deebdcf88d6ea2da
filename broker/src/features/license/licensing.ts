import { createPublicKey, type KeyObject } from 'node:crypto';
import { EVALUATION, LICENSE_NOTICE_DAYS, type LicenseSettings } from '@mqdeck/contract/license';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Core } from '../../core/core.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Store } from '../../core/store/store.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { LicenseFault, readLicense, type Terms } from './license-key.ts';

/** What alarms are to a feature that raises some. */
interface AlarmBell {
  activate(name: string, message: string, details?: Record<string, unknown>): void;
  deactivate(name: string): void;
}

export interface LicensingParts {
  core: Core;
  store: Store;
  settings: SettingsStore;
  alarms: AlarmBell;
  /** The issuer's ed25519 key in PEM form; null = no license but the one for evaluation can be had. */
  issuer: string | null;
  now?: () => number;
}

/** After the blacklist, before whatever else a CONNECT could cost. */
const EARLY = 900;
const OWNER = 'license';
const LOOK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Without a license of one's own: from the first start of the enterprise edition on. */
const EVALUATION_TERMS = { days: 365, connections: 1000 } as const;

const QUOTA = 'license_quota';
const EXPIRY = 'license_expiry';

/**
 * Keeps the license in force, and holds clients to it: no more at a time than it allows, and no new one once an
 * evaluation is over. A license that was paid for ends with an alarm: nobody's plant stops for a bill.
 */
export class Licensing {
  private readonly parts: LicensingParts;
  private readonly issuer: KeyObject | null;
  private readonly now: () => number;
  private terms: Terms;
  private timer: Timer;
  private readonly ends: (() => void)[];

  constructor(parts: LicensingParts) {
    const { core, settings, issuer, now = Date.now } = parts;
    this.parts = parts;
    this.issuer = issuer === null ? null : createPublicKey(issuer);
    this.now = now;
    this.terms = this.termsOf(settings.get('license'));
    const options = { owner: OWNER, priority: EARLY };
    this.ends = [
      core.hooks.on('client.connect', (who) => this.onConnect(who), options),
      core.hooks.on('client.connected', () => this.checkQuota(), { owner: OWNER }),
      core.hooks.on('client.disconnected', () => this.checkQuota(), { owner: OWNER }),
      settings.onChange('license', (values) => {
        this.terms = this.termsOf(values);
        this.check();
      }),
    ];
    this.timer = core.timers.after(LOOK_MS, () => this.look());
    this.check();
  }

  get inForce() {
    return {
      ...this.terms,
      customer_type: this.isEvaluation ? EVALUATION : 1,
      expiry: this.isOver,
    };
  }

  /** Throws LicenseFault when it is none, or over; otherwise in force at once, and settles when it is on disk. */
  async put(key: string): Promise<void> {
    if (key !== '') {
      const terms = readLicense(key, this.issuer);
      if (this.overAt(terms) <= this.now())
        throw new LicenseFault(`The license is over: it ended on ${terms.expiry_at}`);
    }
    await this.parts.settings.change('license', { ...this.parts.settings.get('license'), key });
  }

  /** What a look at the clock and the clients tells. */
  check(): void {
    this.checkQuota();
    const { alarms } = this.parts;
    const { expiry_at, customer } = this.terms;
    const days = Math.ceil((this.overAt(this.terms) - this.now()) / DAY_MS);
    if (days > LICENSE_NOTICE_DAYS) alarms.deactivate(EXPIRY);
    else
      alarms.activate(EXPIRY, days <= 0 ? 'The license is over' : `The license ends on ${expiry_at}`, {
        customer,
        expiry_at,
        days_left: Math.max(0, days),
      });
  }

  close(): void {
    for (const end of this.ends) end();
    this.timer.cancel();
  }

  private get isEvaluation(): boolean {
    return this.terms.type === 'trial';
  }

  private get isOver(): boolean {
    return this.overAt(this.terms) <= this.now();
  }

  /** Its last day counts. */
  private overAt({ expiry_at }: Terms): number {
    return Date.parse(expiry_at) + DAY_MS;
  }

  private look(): void {
    this.timer = this.parts.core.timers.after(LOOK_MS, () => this.look());
    this.check();
  }

  private onConnect({ clientid }: ClientInfo): void {
    if (this.isEvaluation && this.isOver)
      throw new Refusal(
        ReasonCode.QuotaExceeded,
        `the license for evaluation ended on ${this.terms.expiry_at}`,
      );
    const { registry } = this.parts.core;
    if (registry.connectedCount < this.terms.max_connections) return;
    if (registry.find(clientid)?.connected) return; // it takes its own place
    throw new Refusal(
      ReasonCode.QuotaExceeded,
      `the license allows ${this.terms.max_connections} clients at a time`,
    );
  }

  private checkQuota(): void {
    const { core, alarms, settings } = this.parts;
    const { connection_low_watermark: low, connection_high_watermark: high } = settings.get('license');
    const { max_connections: most } = this.terms;
    const connections = core.registry.connectedCount;
    const percent = (100 * connections) / most;
    if (percent >= Number.parseFloat(high))
      alarms.activate(QUOTA, `More than ${high} of the clients that the license allows are connected`, {
        connections,
        max_connections: most,
        high_watermark: high,
      });
    else if (percent < Number.parseFloat(low)) alarms.deactivate(QUOTA);
  }

  /** One that was good when it was given and is no more, as with another issuer, leaves the one for evaluation. */
  private termsOf({ key }: LicenseSettings): Terms {
    if (key !== '') {
      try {
        return readLicense(key, this.issuer);
      } catch (cause) {
        if (!(cause instanceof LicenseFault)) throw cause;
        this.parts.core.log.error(
          { reason: cause.message },
          'the license cannot be used: this is an evaluation now',
        );
      }
    }
    return this.evaluation();
  }

  private evaluation(): Terms {
    const since = this.firstStart();
    return {
      customer: 'Evaluation',
      email: '',
      deployment: 'default',
      start_at: dayOf(since),
      expiry_at: dayOf(since + EVALUATION_TERMS.days * DAY_MS),
      max_connections: EVALUATION_TERMS.connections,
      type: 'trial',
    };
  }

  /** Of the enterprise edition in this data folder. */
  private firstStart(): number {
    const stored = this.parts.store.collection<number>('license');
    const known = stored.get('first_start');
    if (known !== undefined) return known;
    const now = this.now();
    stored.put('first_start', now);
    return now;
  }
}

const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
