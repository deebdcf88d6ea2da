import type { Core } from '../../core/core.ts';

const OWNER = 'log';
/** After all who may change or refuse a message. */
const LAST = { priority: -1000, owner: OWNER };

interface Told {
  readonly tellsAll: boolean;
  onLevel(listener: () => void): void;
}

/** What clients do, line by line at level debug; while nobody reads that it is not even looked at. */
export function startClientLog({ hooks, log }: Core, told: Told): () => void {
  let ends: (() => void)[] = [];
  const stop = () => {
    for (const end of ends.splice(0)) end();
  };
  const begin = () => {
    ends = [
      hooks.on(
        'client.connected',
        ({ who }) => {
          const { clientid, username, address, listener } = who;
          log.debug({ clientid, username, address, listener }, 'a client is connected');
        },
        LAST,
      ),
      hooks.on(
        'client.disconnected',
        ({ who: { clientid } }, reason) => log.debug({ clientid, reason }, 'a client is disconnected'),
        LAST,
      ),
      hooks.on(
        'session.subscribed',
        ({ who: { clientid } }, filter, { qos }) =>
          log.debug({ clientid, filter, qos }, 'a client has subscribed'),
        LAST,
      ),
      hooks.on(
        'session.unsubscribed',
        ({ who: { clientid } }, filter) => log.debug({ clientid, filter }, 'a client has unsubscribed'),
        LAST,
      ),
      hooks.on(
        'message.publish',
        ({ from, topic, qos, retain, payload, system }) => {
          if (!system) log.debug({ clientid: from, topic, qos, retain, payload }, 'a message is published');
          return undefined;
        },
        LAST,
      ),
    ];
  };
  const follow = () => {
    if (told.tellsAll && ends.length === 0) begin();
    if (!told.tellsAll) stop();
  };
  follow();
  told.onLevel(follow);
  return stop;
}
