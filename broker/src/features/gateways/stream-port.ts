import type { Core } from '../../core/core.ts';
import { type ListenerOwner, PortListener, usualSocket } from '../../core/listeners/listener.ts';
import { StreamLink, type Welcome } from './links.ts';
import type { Port } from './port.ts';

interface StreamPortOptions {
  core: Core;
  gateway: string;
  type: 'tcp' | 'ssl';
  name: string;
  welcome: Welcome;
}

/** A listener of TCP, with TLS or without: the same as of MQTT, and whatever the gateway speaks behind it. */
export function streamPort({ core, gateway, type, name, welcome }: StreamPortOptions): PortListener & Port {
  const links = new Set<StreamLink>();
  const owner: ListenerOwner = {
    listeners: [],
    idOf: (kind, its) => `${gateway}:${kind}:${its}`,
    endConnections: () => {
      for (const link of [...links]) link.end();
    },
  };
  const options = { name, host: '127.0.0.1', port: 0 };
  const port = new PortListener(
    core,
    type,
    options,
    (socket, begun, peer) => {
      begun();
      const link = new StreamLink({
        core,
        listener: port.id,
        transport: type,
        socket,
        peer,
        wishes: port.options.socket ?? usualSocket,
        welcome,
        onEnd: (ended) => links.delete(ended),
      });
      if (!link.closed) links.add(link);
    },
    owner,
  );
  return Object.assign(port, { endLinks: () => owner.endConnections(port.id), sweep: () => undefined });
}
