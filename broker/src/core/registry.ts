import type { ClientRegistry } from './core.ts';
import { C } from './counters.ts';
import type { Entrance } from './entrance.ts';
import type { ClientInfo } from './hooks.ts';
import type { MqttCore } from './mqtt-core.ts';
import { type ConnectFacts, Session } from './session.ts';

const SLICE = 500; // a few milliseconds of a list's work

export interface Opened {
  session: Session;
  present: boolean;
}

/** All sessions by client id. Keeps them from CONNECT until they expire; nobody else opens or ends one. */
export class Registry implements ClientRegistry {
  private readonly core: MqttCore;
  private readonly sessions = new Map<string, Session>();
  connectedCount = 0;

  constructor(core: MqttCore) {
    this.core = core;
  }

  get size(): number {
    return this.sessions.size;
  }

  find(clientid: string): Session | undefined {
    return this.sessions.get(clientid);
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.sessions.values();
  }

  async *slices(): AsyncGenerator<Session[]> {
    let slice: Session[] = [];
    for (const session of this.sessions.values()) {
      slice.push(session);
      if (slice.length < SLICE) continue;
      yield slice;
      slice = [];
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    yield slice;
  }

  /** The session of a CONNECT: the kept one, or a new one when there is none or it is not wanted [MQTT-3.1.2-4]. */
  open(entrance: Entrance, who: ClientInfo, asked: ConnectFacts): Opened {
    const { core } = this;
    const kept = this.sessions.get(who.clientid);
    if (kept) {
      const takenOver = kept.channel !== null;
      if (takenOver) {
        core.counters.add(C['session.takenover']);
        core.hooks.tell('session.takenover', kept);
        kept.channel?.takenOver(); // [MQTT-3.1.4-3]; a session that ends with its connection is gone after this
      }
      if (!kept.ended && asked.cleanStart) this.end(kept, 'session.discarded');
      else if (!kept.ended) {
        kept.who = who;
        kept.entrance = entrance;
        kept.asked = asked;
        kept.connectedAt = core.clock.now;
        kept.will = null; // the client came back in time [MQTT-3.1.3-9]
        core.counters.add(C['session.resumed']);
        return { session: kept, present: true };
      }
    }
    const session = new Session(core, entrance, who, asked);
    this.sessions.set(who.clientid, session);
    core.counters.add(C['session.created']);
    return { session, present: false };
  }

  /** From the store. */
  restore(session: Session): void {
    this.sessions.set(session.clientid, session);
  }

  end(session: Session, how: 'session.terminated' | 'session.discarded'): void {
    if (session.ended) return;
    const { core } = this;
    this.sessions.delete(session.clientid);
    session.end();
    core.counters.add(C[how]);
    core.hooks.tell(how, session);
  }
}
