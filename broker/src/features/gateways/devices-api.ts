import type { gatewayDevices } from '@mqdeck/contract/gateway-devices';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { coapOf } from './coap/coap.ts';
import { NoAnswer } from './coap/questions.ts';
import { CommandFault, prepare } from './lwm2m/commands.ts';
import type { Device } from './lwm2m/device.ts';
import { lwm2mOf } from './lwm2m/lwm2m.ts';

/** What operators ask of single devices. Answers of LwM2M devices are published, and found by a lookup. */
export function gatewayDevicesApi(core: Core): Handlers<typeof gatewayDevices> {
  const command = (clientid: string, msgType: string, data: Readonly<Record<string, unknown>>): void => {
    const device: Device = lwm2mOf(core)?.device(clientid) ?? fail('CLIENT_NOT_FOUND');
    const asked = { reqID: 0, msgType, data };
    try {
      prepare(asked, '', device.objects);
    } catch (cause) {
      if (cause instanceof CommandFault) fail('BAD_REQUEST', cause.message);
      throw cause;
    }
    device.command(asked);
  };

  return {
    requestCoap: async ({ params: { clientid }, body }) => {
      try {
        return (await coapOf(core)?.ask(clientid, body)) ?? fail('CLIENT_NOT_FOUND');
      } catch (cause) {
        if (cause instanceof NoAnswer) fail('CLIENT_NOT_RESPONSE', 'The device does not answer', 504);
        throw cause;
      }
    },
    lookupLwm2m: ({ params: { clientid }, query: { path, action } }) =>
      lwm2mOf(core)?.lookup(clientid, action, path) ?? fail('CLIENT_NOT_FOUND'),
    observeLwm2m: ({ params: { clientid }, query: { path, enable } }) =>
      command(clientid, enable ? 'observe' : 'cancel-observe', { path }),
    readLwm2m: ({ params: { clientid }, query: { path } }) => command(clientid, 'read', { path }),
    writeLwm2m: ({ params: { clientid }, query }) => command(clientid, 'write', query),
  };
}
