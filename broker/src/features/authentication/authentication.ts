import { isDeepStrictEqual } from 'node:util';
import type { AuthzRule } from '@mqdeck/contract/acl/rule';
import {
  type AuthenticationSettings,
  type AuthenticatorConfig,
  authenticatorId,
} from '@mqdeck/contract/authentication';
import type { ConnectPacket } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import type {
  AuthenticateResult,
  ClientInfo,
  EnhancedAuthenticateRequest,
  EnhancedAuthenticateResult,
} from '../../core/hooks.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import type { Credentials, Verdict } from './authenticator.ts';
import { Chain, type Open } from './chain.ts';

declare module '../../core/hooks.ts' {
  interface ClientInfo {
    /** Rules that came with the credentials; asked before every source of authorization. */
    acl?: readonly AuthzRule[];
  }
}

/** The chain of all listeners that have none of their own; no listener bears this name. */
export const GLOBAL = 'mqtt:global';

/** Of a gateway's listener, `stomp:tcp:default`, that of its gateway. */
function globalOf(listener: string): string {
  const [gateway, , name] = listener.split(':');
  return name === undefined ? GLOBAL : `${gateway}:global`;
}

/** Opens the authenticators of a chain: those with users have their own in each. */
export type OpenFor = (chain: string) => Open;

/** Removes what an authenticator leaves behind that is no more: its users. */
export type Forget = (chain: string, id: string) => Promise<void>;

/**
 * Decides who may connect. Keeps the global chain and those of single listeners, which stand in the settings; changed
 * through `change`, and by whoever changes the settings.
 */
export class Authentication {
  private readonly core: Core;
  private readonly settings: SettingsStore;
  private readonly openFor: OpenFor;
  private readonly chains = new Map<string, Chain>();
  private changing: Promise<unknown> = Promise.resolve();
  /** What this has put into the settings itself. */
  private written: AuthenticationSettings | null = null;
  private readonly leave: (() => void)[];
  readonly forget: Forget;

  constructor(core: Core, settings: SettingsStore, openFor: OpenFor, forget: Forget) {
    this.core = core;
    this.settings = settings;
    this.openFor = openFor;
    this.forget = forget;
    settings.guard('authentication', (values, before) => this.check(values, before));
    const { global, listeners } = settings.get('authentication');
    for (const [name, configs] of [[GLOBAL, global], ...Object.entries(listeners)] as const)
      this.chains.set(name, new Chain(configs, openFor(name), core.log));
    this.leave = [
      core.hooks.on('client.authenticate', (who, packet) => this.authenticate(who, packet), {
        owner: 'authentication',
      }),
      core.hooks.on('client.enhanced_authenticate', (who, request) => this.step(who, request), {
        owner: 'authentication',
      }),
      settings.onChange('authentication', (values) => values !== this.written && this.follow(values)),
    ];
  }

  /** The chain of that name, empty when nobody made one. */
  chain(name: string): Chain {
    const found = this.chains.get(name);
    if (found) return found;
    const made = new Chain([], this.openFor(name), this.core.log);
    this.chains.set(name, made);
    return made;
  }

  /** One change after the other: `run` alters the chain; what it throws leaves everything as it was. */
  async change<T>(name: string, run: (chain: Chain) => T | Promise<T>): Promise<T> {
    const turn = this.changing
      .catch(() => undefined)
      .then(async () => {
        const result = await run(this.chain(name));
        this.written = this.stored();
        await this.settings.change('authentication', this.written);
        return result;
      });
    this.changing = turn;
    return turn;
  }

  /** A listener is no more: neither is its chain, and who was known there. */
  async forgetListener(name: string): Promise<void> {
    if (!this.chains.get(name)?.size) return;
    await this.change(name, async (chain) => {
      const ids = chain.all.map(({ id }) => id);
      chain.replace([]);
      for (const id of ids) await this.forget(name, id);
    });
  }

  /** What each authenticator in turn says of a client that would connect like this. */
  explain(credentials: Credentials): Promise<{ id: string; verdict: Verdict }[]> {
    return this.chainOf(credentials.listener).explain(credentials);
  }

  close(): void {
    for (const leave of this.leave) leave();
    for (const chain of this.chains.values()) chain.close();
  }

  /** Whether each chain could be; what is there already may stay, also where it cannot work any more. */
  private check(values: AuthenticationSettings, before: AuthenticationSettings): void {
    const had = chainsOf(before);
    for (const [name, configs] of chainsOf(values)) {
      const path = name === GLOBAL ? ['global'] : ['listeners', name];
      const ids = configs.map(authenticatorId);
      for (const [i, config] of configs.entries()) {
        if (ids.indexOf(ids[i]!) < i) throw new SettingsFault([...path, i], `${ids[i]} stands there twice`);
        if (!had.get(name)?.some((one) => isDeepStrictEqual(one, config)))
          this.tryOut(name, config, [...path, i]);
      }
    }
  }

  private tryOut(chain: string, config: AuthenticatorConfig, path: readonly PropertyKey[]): void {
    try {
      const opened = this.openFor(chain)(config);
      opened.close().catch((err: unknown) => {
        this.core.log.warn({ err, authenticator: authenticatorId(config) }, 'a trial did not end cleanly');
      });
    } catch (error) {
      if (!(error instanceof BackendConfigError)) throw error;
      throw new SettingsFault([...path, ...error.path.split('.')], error.message);
    }
  }

  /** The settings came from elsewhere, as with a backup: all chains become what they say. */
  private follow(values: AuthenticationSettings): void {
    const wanted = chainsOf(values);
    for (const name of new Set([...this.chains.keys(), ...wanted.keys()])) {
      const before = this.chain(name).all.map(({ id }) => id);
      this.chain(name).replace(wanted.get(name) ?? []);
      for (const id of before.filter((one) => !this.chain(name).find(one)))
        this.forget(name, id).catch((err: unknown) => {
          this.core.log.error({ err, authenticator: id }, 'users of a removed authenticator are still there');
        });
    }
  }

  private stored(): AuthenticationSettings {
    const listeners: Record<string, AuthenticatorConfig[]> = {};
    for (const [name, chain] of this.chains)
      if (name !== GLOBAL && chain.size > 0) listeners[name] = chain.configs;
    return { global: this.chain(GLOBAL).configs, listeners };
  }

  /** A listener's own chain, unless nobody in it is enabled: then it opens no door that the global one keeps shut. */
  private chainOf(listener: string): Chain {
    const own = this.chains.get(listener);
    return own?.isActive ? own : this.chain(globalOf(listener));
  }

  private authenticate(
    who: ClientInfo,
    packet: ConnectPacket,
  ): AuthenticateResult | Promise<AuthenticateResult> {
    const chain = this.chainOf(who.listener);
    return chain.isActive ? this.decide(chain, who, packet) : undefined;
  }

  private async decide(chain: Chain, who: ClientInfo, packet: ConnectPacket): Promise<AuthenticateResult> {
    const verdict = await chain.decide(shown(who, packet.password));
    if (verdict.result === 'allow') {
      admit(who, verdict);
      return { allow: true, source: verdict.why };
    }
    return this.refusal(who, verdict);
  }

  private async step(
    who: ClientInfo,
    request: EnhancedAuthenticateRequest,
  ): Promise<EnhancedAuthenticateResult> {
    const link = this.chainOf(who.listener).forMethod(request.method);
    if (!link) return undefined; // [MQTT-4.12.0-1]
    const step = await link.step(shown(who, null), request);
    if (step.result === 'continue') return step;
    const { verdict } = step;
    if (verdict.result === 'allow') {
      if (verdict.username !== undefined) who.username = verdict.username;
      admit(who, verdict);
      return { result: 'success', data: step.data };
    }
    const { reasonCode, why } = this.refusal(who, verdict);
    return { result: 'failure', reasonCode, why };
  }

  private refusal({ clientid, username, address }: ClientInfo, verdict: Verdict) {
    const { why } = verdict;
    const reasonCode = verdict.result === 'deny' ? verdict.reasonCode : ReasonCode.NotAuthorized;
    this.core.log.debug({ clientid, username, address, reasonCode, why }, 'a client is refused');
    return { allow: false, reasonCode, why } as const;
  }
}

const chainsOf = ({ global, listeners }: AuthenticationSettings) =>
  new Map<string, readonly AuthenticatorConfig[]>([[GLOBAL, global], ...Object.entries(listeners)]);

const shown = (who: ClientInfo, password: Uint8Array | null): Credentials => ({
  clientid: who.clientid,
  username: who.username,
  password,
  peerhost: who.address,
  listener: who.listener,
  mountpoint: who.mountpoint,
  certCommonName: who.certCommonName ?? null,
  certSubject: who.certSubject ?? null,
  zone: who.zone,
  clientAttrs: who.attributes,
  ...(who.guest && { guest: who.guest }),
});

/** Everything that an earlier login of the same connection gave is replaced. */
function admit(who: ClientInfo, verdict: Extract<Verdict, { result: 'allow' }>): void {
  who.isSuperuser = verdict.isSuperuser;
  who.attributes = { ...who.attributes, ...verdict.clientAttrs };
  who.authExpiresAt = verdict.expiresAt ?? null;
  if (verdict.acl) who.acl = verdict.acl;
  else delete who.acl;
}
