import { isDeepStrictEqual } from 'node:util';
import { type AuthenticatorConfig, authenticatorId } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Log } from '../../core/core.ts';
import type { EnhancedAuthenticateRequest, EnhancedAuthenticateResult } from '../../core/hooks.ts';
import { Rate } from '../../rate.ts';
import type { Authenticator, Credentials, Verdict } from './authenticator.ts';

/** A step of an authentication in several; what it says of the client comes with its success. */
export type Step =
  | Extract<EnhancedAuthenticateResult, { result: 'continue' }>
  | { result: 'done'; verdict: Verdict; data: Uint8Array | null };

/** An authenticator that asks questions of its own (section 4.12). */
export interface SteppingAuthenticator extends Authenticator {
  readonly method: string; // `SCRAM-SHA-256`
  step(credentials: Credentials, request: EnhancedAuthenticateRequest): Promise<Step>;
}

export type AnyAuthenticator = Authenticator | SteppingAuthenticator;

/** Opens what a configuration describes; throws BackendConfigError when it cannot work. */
export type Open = (config: AuthenticatorConfig) => AnyAuthenticator;

/** Of one link, since the start. */
class Decisions {
  success = 0;
  failed = 0;
  nomatch = 0;
  readonly rate = new Rate();

  count({ result }: Verdict): void {
    this.rate.mark();
    if (result === 'allow') this.success++;
    else if (result === 'deny') this.failed++;
    else this.nomatch++;
  }

  get values() {
    const { success, failed, nomatch, rate } = this;
    return { total: success + failed + nomatch, success, failed, nomatch, ...rate.values };
  }
}

/** One authenticator in its place: keeps what it decided, and what runs while its configuration changes. */
export class Link {
  readonly id: string;
  private settings: AuthenticatorConfig;
  private readonly open: Open;
  private readonly log: Log;
  private readonly decisions = new Decisions();
  private running: { authenticator: AnyAuthenticator; asked: number; retired: boolean } | null = null;

  constructor(config: AuthenticatorConfig, open: Open, log: Log) {
    this.id = authenticatorId(config);
    this.settings = config;
    this.open = open;
    this.log = log;
  }

  /** Throws BackendConfigError when it cannot work. */
  start(): void {
    this.run(this.open(this.settings), this.settings);
  }

  /** As `start`; one that worked when it was stored and no more knows nobody, says why, and waits to be changed. */
  startAgain(): void {
    try {
      this.start();
    } catch (error) {
      if (!(error instanceof BackendConfigError)) throw error;
      const reason = `${error.path}: ${error.message}`;
      this.log.error({ authenticator: this.id, reason }, 'an authenticator cannot work');
      this.run(unable(reason), this.settings);
    }
  }

  get config(): AuthenticatorConfig {
    return this.settings;
  }

  /** Who is being asked while this happens is answered by the old one, which then ends. */
  change(config: AuthenticatorConfig): void {
    const old = this.running;
    this.run(this.open(config), config);
    this.settings = config;
    if (old) this.retire(old);
  }

  close(): void {
    if (this.running) this.retire(this.running);
    this.running = null;
  }

  get metrics() {
    return this.decisions.values;
  }

  /** One that is disabled keeps no connection to another system. */
  get status() {
    if (!this.running) return { status: 'disconnected', reason: null, resourceMetrics: null } as const;
    const { status, reason, resourceMetrics } = this.running.authenticator;
    return { status, reason, resourceMetrics };
  }

  /** As often as it is asked, the system behind it is. */
  get resourceRate() {
    return this.decisions.rate.values;
  }

  get method(): string | null {
    const authenticator = this.settings.enable && this.running?.authenticator;
    return authenticator && 'method' in authenticator ? authenticator.method : null;
  }

  /** When it fails it has no opinion: it neither lets anybody in nor takes the others' turn. */
  async authenticate(credentials: Credentials, counted: boolean): Promise<Verdict> {
    const verdict = await this.ask((authenticator) => authenticator.authenticate(credentials)).catch(
      (cause: unknown): Verdict => {
        this.log.error({ err: cause, authenticator: this.id }, 'an authenticator failed to decide');
        return { result: 'ignore', why: 'it failed; the log says more' };
      },
    );
    if (counted) this.decisions.count(verdict);
    return verdict;
  }

  async step(credentials: Credentials, request: EnhancedAuthenticateRequest): Promise<Step> {
    const step = await this.ask((authenticator) =>
      'step' in authenticator ? authenticator.step(credentials, request) : NO_STEPS,
    );
    if (step.result === 'done') this.decisions.count(step.verdict);
    return step;
  }

  private async ask<T>(question: (authenticator: AnyAuthenticator) => T | Promise<T>): Promise<T> {
    const running = this.running!;
    running.asked++;
    try {
      return await question(running.authenticator);
    } finally {
      running.asked--;
      if (running.retired && running.asked === 0) this.end(running.authenticator);
    }
  }

  private run(authenticator: AnyAuthenticator, { enable }: AuthenticatorConfig): void {
    // What has nothing behind it costs nothing
    const idle = !enable && authenticator.resourceMetrics !== null;
    if (idle) this.end(authenticator);
    this.running = idle ? null : { authenticator, asked: 0, retired: false };
  }

  private retire(old: NonNullable<Link['running']>): void {
    old.retired = true;
    if (old.asked === 0) this.end(old.authenticator);
  }

  private end(authenticator: AnyAuthenticator): void {
    authenticator.close().catch((cause: unknown) => {
      this.log.warn({ err: cause, authenticator: this.id }, 'an authenticator did not end cleanly');
    });
  }
}

const unable = (reason: string): Authenticator => ({
  authenticate: () => ({ result: 'ignore', why: reason }),
  status: 'disconnected',
  reason,
  resourceMetrics: null,
  close: () => Promise.resolve(),
});

const NO_STEPS: Step = { result: 'done', verdict: { result: 'ignore', why: 'knows no steps' }, data: null };

/** The authenticators in the order in which they are asked, each at most once. */
export class Chain {
  private links: Link[] = [];
  private enabled: Link[] = [];
  private readonly open: Open;
  private readonly log: Log;

  constructor(configs: readonly AuthenticatorConfig[], open: Open, log: Log) {
    this.open = open;
    this.log = log;
    const links = configs.map((config) => new Link(config, open, log));
    for (const link of links) link.startAgain();
    this.arrange(links);
  }

  get size(): number {
    return this.links.length;
  }

  /** Whether anybody is asked at all. */
  get isActive(): boolean {
    return this.enabled.length > 0;
  }

  get configs(): AuthenticatorConfig[] {
    return this.links.map(({ config }) => config);
  }

  get all(): readonly Link[] {
    return this.links;
  }

  find(id: string): Link | undefined {
    return this.links.find((link) => link.id === id);
  }

  add(config: AuthenticatorConfig): Link {
    const link = new Link(config, this.open, this.log);
    link.start();
    this.arrange([...this.links, link]);
    return link;
  }

  change(link: Link, config: AuthenticatorConfig): void {
    link.change(config);
    this.arrange(this.links);
  }

  remove(link: Link): void {
    this.arrange(this.links.filter((other) => other !== link));
    link.close();
  }

  /** Others take the place of all there are; what stays as it was keeps its connections and its figures. */
  replace(configs: readonly AuthenticatorConfig[]): void {
    const before = this.links;
    const links = configs.map((config) => {
      const same = before.find((link) => isDeepStrictEqual(link.config, config));
      if (same) return same;
      const link = new Link(config, this.open, this.log);
      link.startAgain();
      return link;
    });
    this.arrange(links);
    for (const link of before) if (!links.includes(link)) link.close();
  }

  /** The same links in another order. */
  arrange(links: readonly Link[]): void {
    this.links = [...links];
    this.enabled = this.links.filter(({ config }) => config.enable);
  }

  close(): void {
    for (const link of this.links) link.close();
    this.arrange([]);
  }

  /** The first opinion counts; without any the client is refused. `why` begins with who says so. */
  async decide(credentials: Credentials): Promise<Verdict> {
    const said: string[] = [];
    for (const link of this.enabled) {
      const verdict = await link.authenticate(credentials, true);
      const why = `${link.id}: ${verdict.why}`;
      if (verdict.result !== 'ignore') return { ...verdict, why };
      said.push(why);
    }
    const why = `no authenticator knows this client; ${said.join('; ')}`;
    return { result: 'deny', reasonCode: ReasonCode.NotAuthorized, why };
  }

  /** What each one that is asked says, the last one being who decides; nothing is counted. */
  async explain(credentials: Credentials): Promise<{ id: string; verdict: Verdict }[]> {
    const said: { id: string; verdict: Verdict }[] = [];
    for (const link of this.enabled) {
      const verdict = await link.authenticate(credentials, false);
      said.push({ id: link.id, verdict });
      if (verdict.result !== 'ignore') break;
    }
    return said;
  }

  forMethod(method: string): Link | undefined {
    return this.enabled.find((link) => link.method === method);
  }
}
