import { DEFAULT_ZONE } from '@mqdeck/contract/zones';
import { type Backend, BackendError } from '../../../backends/backend.ts';
import type { Values } from '../../../backends/placeholders.ts';
import { PlaceholderError } from '../../../backends/url-values.ts';
import type { AccessRequest, ClientInfo } from '../../../core/hooks.ts';
import type { Source, SourceVerdict } from '../source.ts';

type Ask = (values: Values, who: ClientInfo, request: AccessRequest) => Promise<SourceVerdict>;

/** A source that asks another system; one that fails says so. Throws BackendConfigError when it cannot work. */
export function asking<B extends Backend>(open: () => { backend: B; ask: Ask }): Source {
  const { backend, ask } = open();
  return {
    async authorize(who, request) {
      try {
        return await ask(valuesOf(who, request), who, request);
      } catch (error) {
        if (error instanceof BackendError || error instanceof PlaceholderError)
          return { result: 'ignore', why: error.message };
        throw error;
      }
    },
    get status() {
      return backend.status;
    },
    get reason() {
      return backend.reason;
    },
    get resourceMetrics() {
      return backend.metrics;
    },
    close: () => backend.close(),
  };
}

/** What placeholders stand for. */
function valuesOf(who: ClientInfo, request: AccessRequest): Values {
  const { attributes } = who;
  return (name) => {
    switch (name) {
      case 'username':
        return who.username;
      case 'clientid':
        return who.clientid;
      case 'peerhost':
        return who.address;
      case 'mountpoint':
        return who.mountpoint;
      case 'cert_subject':
        return who.certSubject ?? null;
      case 'cert_common_name':
        return who.certCommonName ?? null;
      case 'listener':
        return who.listener;
      case 'zone':
        return who.zone ?? DEFAULT_ZONE;
      case 'proto_name':
        return who.guest?.protocolName ?? (who.protocolVersion === 3 ? 'MQIsdp' : 'MQTT');
      case 'topic':
        return request.topic;
      case 'action':
        return request.action;
      case 'qos':
        return String(request.qos);
      case 'retain':
        return String(request.retain);
    }
    const attribute = name.replace(/^client_attrs\./, '');
    return attribute !== name && Object.hasOwn(attributes, attribute) ? attributes[attribute] : null;
  };
}
