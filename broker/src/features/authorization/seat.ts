import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import type { AccessRequest, ClientInfo } from '../../core/hooks.ts';
import { Rate } from '../../rate.ts';
import type { Source, SourceVerdict } from './source.ts';

/** Opens what a configuration describes; throws BackendConfigError when it cannot work. */
export type OpenSource = (config: AuthorizationSource) => Source;

/** A source at work, and how many wait for its answer. */
interface Running {
  source: Source;
  asked: number;
  retired: boolean;
}

const FAILED: SourceVerdict = Object.freeze({ result: 'ignore', why: 'it failed; the log says more' });

/** One source in its place: keeps what it decided, and what runs while its configuration changes. */
export class Seat {
  private settings: AuthorizationSource;
  private readonly open: OpenSource;
  private readonly core: Core;
  private running: Running | null = null;
  private readonly counts = { allow: 0, deny: 0, ignore: 0, nomatch: 0 };
  private readonly rate: Rate;
  private resourceRate: Rate;

  constructor(config: AuthorizationSource, open: OpenSource, core: Core) {
    this.settings = config;
    this.open = open;
    this.core = core;
    this.rate = new Rate(core.clock);
    this.resourceRate = new Rate(core.clock);
  }

  get config(): AuthorizationSource {
    return this.settings;
  }

  get type(): AuthorizationSource['type'] {
    return this.settings.type;
  }

  /** Throws BackendConfigError when it cannot work. */
  start(): void {
    this.running = this.ready(this.settings);
  }

  /** As `start`; one that worked when it was stored and no more decides nothing, says why, and waits to be changed. */
  startAgain(): void {
    try {
      this.start();
    } catch (error) {
      if (!(error instanceof BackendConfigError)) throw error;
      const reason = `${error.path}: ${error.message}`;
      this.core.log.error({ source: this.type, reason }, 'a source of authorization cannot work');
      this.running = { source: unable(reason), asked: 0, retired: false };
    }
  }

  /** Who waits for an answer while this happens gets it from the old one, which then ends. */
  change(config: AuthorizationSource): void {
    const old = this.running;
    this.running = this.ready(config);
    this.settings = config;
    this.resourceRate = new Rate(this.core.clock);
    if (old) this.retire(old);
  }

  close(): void {
    if (this.running) this.retire(this.running);
    this.running = null;
  }

  get metrics() {
    const { allow, deny, ignore, nomatch } = this.counts;
    return { total: allow + deny + ignore + nomatch, allow, deny, ignore, nomatch, ...this.rate.values };
  }

  /** Of the system behind it; empty without one. */
  get resourceMetrics() {
    const resource = this.running?.source.resourceMetrics;
    if (!resource) return {};
    const { matched, success, failed } = resource;
    return { matched, success, failed, ...this.resourceRate.values };
  }

  /** One that is disabled keeps no connection to another system. */
  get status() {
    return this.running?.source.status ?? 'disconnected';
  }

  get reason(): string | null {
    return this.running?.source.reason ?? null;
  }

  /** When it fails it has no opinion: it neither allows anything nor takes the others' turn. */
  ask(who: ClientInfo, request: AccessRequest): SourceVerdict | Promise<SourceVerdict> {
    const { running } = this;
    if (running === null) return FAILED;
    try {
      const verdict = running.source.authorize(who, request);
      return verdict instanceof Promise ? this.awaited(running, verdict) : verdict;
    } catch (cause) {
      return this.failed(cause);
    }
  }

  private async awaited(running: Running, verdict: Promise<SourceVerdict>): Promise<SourceVerdict> {
    running.asked++;
    try {
      return await verdict;
    } catch (cause) {
      return this.failed(cause);
    } finally {
      running.asked--;
      if (running.retired && running.asked === 0) this.end(running.source);
    }
  }

  count({ result }: SourceVerdict): void {
    this.counts[result]++;
    this.rate.mark();
    if (this.running?.source.resourceMetrics) this.resourceRate.mark();
  }

  private failed(cause: unknown): SourceVerdict {
    this.core.log.error({ err: cause, source: this.type }, 'a source of authorization failed to decide');
    return FAILED;
  }

  /** Null for one that is disabled and has nothing to keep up; opened all the same, to see whether it can work. */
  private ready(config: AuthorizationSource): Running | null {
    const source = this.open(config);
    if (config.enable || source.resourceMetrics === null) return { source, asked: 0, retired: false };
    this.end(source);
    return null;
  }

  private retire(running: Running): void {
    running.retired = true;
    if (running.asked === 0) this.end(running.source);
  }

  private end(source: Source): void {
    source
      .close()
      .catch((err: unknown) => this.core.log.warn({ err, source: this.type }, 'a source did not end well'));
  }
}

const unable = (reason: string): Source => ({
  authorize: () => ({ result: 'ignore', why: reason }),
  status: 'disconnected',
  reason,
  resourceMetrics: null,
  close: () => Promise.resolve(),
});
