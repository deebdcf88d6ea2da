import { type AuthPacket, type ConnectPacket, PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, protocolError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { C } from '../counters.ts';
import type { ClientInfo, EnhancedAuthenticateResult } from '../hooks.ts';
import { Refusal } from '../refusal.ts';
import type { Timer } from '../timer-wheel.ts';
import { type Channel, Phase } from './channel.ts';

const STEPS_MAX = 16; // SCRAM needs two, Kerberos three

type Step = Exclude<EnhancedAuthenticateResult, undefined | { result: 'failure' }>;

/** One exchange of AUTH packets, section 4.12. Keeps what its handler wants to remember from step to step, and its end. */
export class Exchange {
  readonly method: string;
  /** A handler thinks: the client has nothing to say until it is answered. */
  busy = false;
  private readonly channel: Channel;
  private readonly who: ClientInfo;
  private readonly again: boolean;
  private readonly timer: Timer;
  private state: unknown;
  private steps = 0;

  constructor(channel: Channel, who: ClientInfo, method: string, again: boolean) {
    const { core } = channel;
    this.channel = channel;
    this.who = who;
    this.method = method;
    this.again = again;
    core.counters.add(C['client.authenticate']);
    this.timer = core.timers.after(channel.entrance.settings.idleTimeoutMs, () =>
      channel.fail(new MqttError(ReasonCode.NotAuthorized, 'the authentication took too long')),
    );
  }

  /** Asks the handlers; throws MqttError when the client is refused. */
  async step(data: Uint8Array | null): Promise<Step> {
    const { core } = this.channel;
    this.busy = true;
    try {
      const step = await this.ask(data);
      if (step.result === 'success') {
        core.counters.add(C['authentication.success']);
        this.tell(ReasonCode.Success);
        this.cancel();
      } else this.state = step.state;
      return step;
    } catch (cause) {
      core.counters.add(C['authentication.failure']);
      this.tell(cause instanceof MqttError ? cause.reasonCode : ReasonCode.NotAuthorized);
      this.cancel();
      if (cause instanceof MqttError) throw cause;
      core.log.error(
        { err: cause, clientid: this.who.clientid, method: this.method },
        'authentication failed to decide; the client is refused',
      );
      throw new MqttError(ReasonCode.NotAuthorized);
    } finally {
      this.busy = false;
    }
  }

  private tell(reasonCode: ReasonCode): void {
    const { hooks } = this.channel.core;
    if (hooks.used['client.authenticate_complete'].length > 0)
      hooks.tell('client.authenticate_complete', this.who, reasonCode, false, this.method);
  }

  private async ask(data: Uint8Array | null): Promise<Step> {
    const { method, again, state } = this;
    if (++this.steps > STEPS_MAX)
      throw new MqttError(ReasonCode.NotAuthorized, 'the authentication takes too many steps');
    const { hooks } = this.channel.core;
    const step = await hooks.ask('client.enhanced_authenticate', this.who, { method, data, state, again });
    if (step === undefined) throw new MqttError(ReasonCode.BadAuthenticationMethod); // [MQTT-4.12.0-1]
    if (step.result === 'failure') throw new Refusal(step.reasonCode, step.why); // [MQTT-4.12.0-4]
    return step;
  }

  /** [MQTT-4.12.0-2] [MQTT-4.12.0-5] */
  send(reasonCode: ReasonCode, data: Uint8Array | null): void {
    this.channel.send({
      type: PacketType.AUTH,
      reasonCode,
      properties: { authenticationMethod: this.method, ...(data && { authenticationData: data }) },
    });
  }

  cancel(): void {
    this.timer.cancel();
  }
}

/** The exchange that CONNECT begins; the answer is what CONNACK has to say, null when the connection is over. */
export async function authenticateInSteps(
  channel: Channel,
  who: ClientInfo,
  { properties }: ConnectPacket,
  method: string,
): Promise<{ data: Uint8Array | null } | null> {
  const exchange = new Exchange(channel, who, method, false);
  channel.exchange = exchange;
  let data = properties.authenticationData ?? null;
  for (;;) {
    const step = await exchange.step(data);
    if (channel.phase !== Phase.Opening) return null; // the client did not wait
    if (step.result === 'success') {
      channel.exchange = null;
      return step;
    }
    exchange.send(ReasonCode.ContinueAuthentication, step.data);
    const packet = await channel.nextPacket();
    if (packet.type === PacketType.DISCONNECT) {
      channel.close('normal');
      return null;
    }
    // [MQTT-3.1.2-30]
    if (packet.type !== PacketType.AUTH) throw protocolError('only AUTH and DISCONNECT before CONNACK');
    checkMethod(packet, method);
    if (packet.reasonCode !== ReasonCode.ContinueAuthentication)
      throw protocolError('there is nothing yet to authenticate again'); // [MQTT-4.12.0-3]
    data = packet.properties.authenticationData ?? null;
  }
}

/** Re-authentication, section 4.12.1. Everything else goes on meanwhile, as the client was before. */
export function onAuth(channel: Channel, packet: AuthPacket): void {
  const { method } = channel;
  if (method === null) throw protocolError('AUTH without an authentication method in CONNECT'); // [MQTT-4.12.0-7]
  checkMethod(packet, method);
  if (packet.reasonCode === ReasonCode.ReAuthenticate) {
    if (channel.exchange !== null) throw protocolError('authenticates already');
    channel.exchange = new Exchange(channel, channel.who!, method, true);
  }
  const { exchange } = channel;
  if (exchange === null || exchange.busy) throw protocolError('AUTH without having been asked');
  exchange.step(packet.properties.authenticationData ?? null).then(
    (step) => {
      if (channel.phase !== Phase.Open) return;
      if (step.result === 'success') {
        channel.exchange = null;
        channel.expireAuthentication();
        channel.core.forgetAccessOf(channel); // it may be somebody else now
        exchange.send(ReasonCode.Success, step.data);
      } else exchange.send(ReasonCode.ContinueAuthentication, step.data);
    },
    (cause: unknown) => channel.fail(cause), // [MQTT-4.12.1-2]
  );
}

/** [MQTT-4.12.1-1] */
function checkMethod({ properties }: AuthPacket, method: string): void {
  if (properties.authenticationMethod !== method)
    throw new MqttError(ReasonCode.BadAuthenticationMethod, 'the authentication method has changed');
}
