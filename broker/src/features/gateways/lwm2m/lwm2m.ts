import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Lwm2mLookup } from '@mqdeck/contract/gateway-devices';
import type { Lwm2mConfig } from '@mqdeck/contract/gateways';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { Core } from '../../../core/core.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import { Budget } from '../coap/budget.ts';
import { Code, textOption, textsOf } from '../coap/message.ts';
import { CoapPeer, type CoapRequest, type CoapResponse, type PeerRules, problem } from '../coap/peer.ts';
import { readQuery } from '../coap/query.ts';
import { isRefused, refusal } from '../coap/refusals.ts';
import type { Gateway, Link, LinkEvents, Protocol, StartProtocol } from '../protocol.ts';
import type { Row } from './content.ts';
import { Device, type Registration } from './device.ts';
import { type ObjectList, readObjectList } from './links.ts';
import { type ObjectBook, readObjects } from './objects.ts';
import { readPath } from './path.ts';

const WAITING_BYTES_MAX = 64 * 1024 * 1024; // of all devices together
const OBJECT_LIST_BYTES_MAX = 64 * 1024; // all that devices send without being asked
const LIFETIME_DEFAULT_S = 86_400; // LwM2M 1.0, 5.3.1

type Query = ReadonlyMap<string, string>;

/** An address that sends datagrams, and who has registered from there. */
interface Session {
  readonly peer: CoapPeer;
  readonly devices: Set<Device>;
  closed: boolean;
}

/** Devices that register at `/rd`: keeps who is there, by location and by endpoint name, as long as their lifetimes last. */
export class Lwm2mGateway implements Protocol {
  private readonly gateway: Gateway<Lwm2mConfig>;
  private readonly objects: ObjectBook;
  private readonly rules: PeerRules;
  private readonly sessions = new Map<CoapPeer, Session>();
  private readonly locations = new Map<string, Device>();
  private readonly devices = new Map<string, Device>(); // by client id
  private readonly expiring = new Map<Device, Timer>();

  constructor(gateway: Gateway<Lwm2mConfig>, objects: ObjectBook) {
    this.gateway = gateway;
    this.objects = objects;
    const { timers, clock, settings } = gateway.core;
    const budget = new Budget(WAITING_BYTES_MAX);
    const bodyBytesMax = settings.maxPacketBytes;
    this.rules = { timers, clock, budget, bodyBytesMax, uploadBytesMax: OBJECT_LIST_BYTES_MAX };
  }

  accept(link: Link): LinkEvents {
    const peer: CoapPeer = new CoapPeer(
      link,
      {
        onRequest: (request) => this.onRequest(session, request),
        onUpload: ({ message }) =>
          textsOf(message, 'Uri-Path')?.[0] === 'rd'
            ? null
            : problem(Code.NotFound, 'devices register at /rd'),
        onLost: () => undefined, // its lifetime says when it is gone
        onSent: (bytes) => {
          for (const { guest } of session.devices) guest.countSent(bytes);
        },
      },
      this.rules,
    );
    const session: Session = { peer, devices: new Set(), closed: false };
    this.sessions.set(peer, session);
    return {
      onBytes: (bytes) => {
        for (const { guest } of session.devices) guest.countReceived(bytes.length);
        peer.receive(bytes);
        // It is awake; but its request is answered before it is asked anything
        setImmediate(() => {
          for (const device of session.devices) device.heard();
        });
      },
      onClose: () => {
        session.closed = true;
        this.sessions.delete(peer);
        for (const device of [...session.devices]) this.end(device, 'closed');
        peer.close();
      },
    };
  }

  close(): void {
    running.delete(this.gateway.core);
  }

  device(clientid: string): Device | undefined {
    return this.devices.get(clientid);
  }

  /** What a device has answered last to an action on a path; undefined when there is no such device. */
  lookup(clientid: string, action: string, where: string): Lwm2mLookup | undefined {
    const device = this.devices.get(clientid);
    if (!device) return undefined;
    const asked = { clientid, path: where, action };
    const outcome = device.answerTo(action, where);
    if (!outcome) return { ...asked, codeMsg: 'reply_not_received' };
    const { code, codeMsg, content } = outcome;
    return {
      ...asked,
      code,
      codeMsg,
      ...(content && { content: content.map((item) => this.described(item)) }),
    };
  }

  /** With what is known of the resource. */
  private described(item: Row | string): { path: string } & Record<string, unknown> {
    const found = typeof item === 'string' ? (/^<([^<>]*)>/.exec(item)?.[1] ?? item) : item.path;
    const at = readPath(found);
    const resource = at ? this.objects.resource(at) : undefined;
    return {
      path: found,
      ...(resource && {
        name: resource.name,
        operations: resource.operations,
        ...(resource.type && { dataType: resource.type }),
      }),
      ...(typeof item !== 'string' && { value: item.value }),
    };
  }

  // --- /rd

  private async onRequest(session: Session, request: CoapRequest): Promise<CoapResponse> {
    const where = textsOf(request.message, 'Uri-Path');
    const texts = textsOf(request.message, 'Uri-Query');
    if (where === null || texts === null) return problem(Code.BadRequest, 'not UTF-8');
    try {
      if (where[0] !== 'rd' || where.length > 2) return problem(Code.NotFound, 'devices register at /rd');
      const query = readQuery(texts);
      const location = where[1];
      if (location === undefined || location === '') {
        if (request.code !== Code.Post) return problem(Code.MethodNotAllowed, 'post');
        return await this.register(session, request, query);
      }
      const device = this.locations.get(location);
      if (!device || device.peer.link.listener !== session.peer.link.listener)
        return problem(Code.NotFound, 'not registered');
      if (request.code === Code.Delete) {
        this.end(device, 'deregistered');
        return { code: Code.Deleted };
      }
      // An update is a POST; devices of before 1.0 send a PUT
      if (request.code !== Code.Post && request.code !== Code.Put)
        return problem(Code.MethodNotAllowed, 'post or delete');
      return this.update(session, device, request, query);
    } catch (cause) {
      const { address } = session.peer.link;
      this.gateway.log.error({ err: cause, address }, 'a request of a device failed');
      throw cause;
    }
  }

  private async register(session: Session, request: CoapRequest, query: Query): Promise<CoapResponse> {
    const endpoint = query.get('ep') ?? '';
    const version = query.get('lwm2m') ?? '';
    const list = readObjectList(request.payload.toString());
    if (endpoint === '') return problem(Code.BadRequest, 'no endpoint name');
    if (!/^1(\.\d+)?$/.test(version)) return problem(Code.PreconditionFailed, 'LwM2M 1 is spoken here');
    if (!list) return problem(Code.BadRequest, 'no list of objects');
    const lifetimeS = this.lifetimeOf(query);
    if (lifetimeS === null) return problem(Code.BadRequest, 'lifetime out of range');
    const device = new Device(this.gateway, {
      location: randomBytes(6).toString('hex'),
      registration: { endpoint, version, lifetimeS, binding: query.get('b') ?? 'U', ...list },
      peer: session.peer,
      objects: this.objects,
      windowMs: parseDuration(this.gateway.config.qmode_time_window) ?? 0,
    });
    const result = await this.gateway.connect({
      link: session.peer.link,
      clientid: endpoint,
      username: query.get('username') ?? null,
      password: query.get('password') ?? null,
      keepalive: 0,
      protocolName: 'LwM2M',
      protocolVersion: version,
      cleanStart: true,
      extra: { endpoint_name: endpoint, lifetime: lifetimeS, object_list: shownObjects(list.objects) },
      receive: (delivery) => device.receive(delivery),
      onGone: () => {
        device.end();
        this.forget(device);
      },
    });
    if ('refused' in result) return refusal(result.refused);
    device.enter(result);
    if (session.closed) device.leave('closed');
    if (device.gone) return problem(Code.ServiceUnavailable, 'it has gone meanwhile');
    session.devices.add(device);
    this.locations.set(device.location, device);
    this.devices.set(result.clientid, device);
    this.expireLater(device);
    await this.listenTo(device);
    return {
      code: Code.Created,
      options: [textOption('Location-Path', 'rd'), textOption('Location-Path', device.location)],
      // Who has just registered hears first that it is
      sent: () => {
        if (device.gone) return;
        device.publish('register', { msgType: 'register', data: facts(device.registration) });
        device.heard();
        if (this.gateway.config.auto_observe) device.observeAll(list.objects);
      },
    };
  }

  /** Commands come by MQTT from now on. */
  private async listenTo(device: Device): Promise<void> {
    const { topic, qos } = this.gateway.config.translators.command;
    const granted = await device.guest.subscribe(topic, { qos: qos as 0 | 1 | 2 });
    const { clientid } = device.guest;
    if (isRefused(granted))
      this.gateway.log.warn({ clientid, topic, reason: granted }, 'a device may not have commands');
  }

  private update(session: Session, device: Device, request: CoapRequest, query: Query): CoapResponse {
    let list: ObjectList | null = null;
    if (request.payload.length > 0) {
      list = readObjectList(request.payload.toString());
      if (!list) return problem(Code.BadRequest, 'no list of objects');
    }
    const before = device.registration;
    const lifetimeS = query.has('lt') ? this.lifetimeOf(query) : before.lifetimeS;
    if (lifetimeS === null) return problem(Code.BadRequest, 'lifetime out of range');
    device.registration = { ...before, lifetimeS, binding: query.get('b') ?? before.binding, ...list };
    device.guest.extra = {
      ...device.guest.extra,
      lifetime: lifetimeS,
      object_list: shownObjects(device.registration.objects),
    };
    this.sessions.get(device.peer)?.devices.delete(device);
    device.comesFrom(session.peer);
    session.devices.add(device);
    this.expireLater(device);
    return {
      code: Code.Changed,
      sent: () => {
        if (device.gone) return;
        const { update_msg_publish_condition: condition, auto_observe } = this.gateway.config;
        if (condition === 'always' || list)
          device.publish('update', { msgType: 'update', data: facts(device.registration) });
        device.heard();
        if (auto_observe && list) device.observeAll(list.objects);
      },
    };
  }

  /** Seconds; null: not within what is allowed. */
  private lifetimeOf(query: Query): number | null {
    const { lifetime_min, lifetime_max } = this.gateway.config;
    const max = (parseDuration(lifetime_max) ?? 0) / 1000;
    const said = query.get('lt');
    if (said === undefined) return Math.min(LIFETIME_DEFAULT_S, max);
    const seconds = /^\d{1,10}$/.test(said) ? Number(said) : Number.NaN;
    return seconds >= (parseDuration(lifetime_min) ?? 0) / 1000 && seconds <= max ? seconds : null;
  }

  private expireLater(device: Device): void {
    this.expiring.get(device)?.cancel();
    const ms = device.registration.lifetimeS * 1000;
    this.expiring.set(
      device,
      this.gateway.core.timers.after(ms, () => this.end(device, 'lifetime_expired')),
    );
  }

  private end(device: Device, reason: string): void {
    device.leave(reason);
    this.forget(device);
  }

  private forget(device: Device): void {
    this.expiring.get(device)?.cancel();
    this.expiring.delete(device);
    this.sessions.get(device.peer)?.devices.delete(device);
    this.locations.delete(device.location);
    if (this.devices.get(device.clientid) === device) this.devices.delete(device.clientid);
  }
}

/** The gateway of each broker that runs, for its operators' requests. */
const running = new WeakMap<Core, Lwm2mGateway>();
export const lwm2mOf = (core: Core): Lwm2mGateway | undefined => running.get(core);

export const startLwm2m: StartProtocol<Lwm2mConfig> = async (gateway) => {
  const folder = path.resolve(gateway.folder, gateway.config.xml_dir);
  const lwm2m = new Lwm2mGateway(gateway, await readObjects(folder, gateway.log));
  running.set(gateway.core, lwm2m);
  return lwm2m;
};

/** In a list of devices each of them stands. */
const OBJECTS_SHOWN = 100;
const shownObjects = (objects: readonly string[]): string => objects.slice(0, OBJECTS_SHOWN).join(' ');

/** As messages tell of it. */
const facts = ({ endpoint, version, lifetimeS, binding, alternatePath, objects }: Registration) => ({
  ep: endpoint,
  lwm2m: version,
  lt: lifetimeS,
  b: binding,
  alternatePath,
  objectList: objects,
});
