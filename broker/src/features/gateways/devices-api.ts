import type { gatewayDevices } from '@mqdeck/contract/gateway-devices';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { Device } from './lwm2m/device.ts';

/**
 * What operators ask of single devices. Answers of LwM2M devices are published, and found by a lookup. The protocols are
 * loaded with their gateways or by the first request.
 */
export function gatewayDevicesApi(core: Core): Handlers<typeof gatewayDevices> {
  const command = async (clientid: string, msgType: string, data: Readonly<Record<string, unknown>>) => {
    const { lwm2mOf } = await import('./lwm2m/lwm2m.ts');
    const { CommandFault, prepare } = await import('./lwm2m/commands.ts');
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
      const { coapOf } = await import('./coap/coap.ts');
      const { NoAnswer } = await import('./coap/questions.ts');
      try {
        return (await coapOf(core)?.ask(clientid, body)) ?? fail('CLIENT_NOT_FOUND');
      } catch (cause) {
        if (cause instanceof NoAnswer) fail('CLIENT_NOT_RESPONSE', 'The device does not answer', 504);
        throw cause;
      }
    },
    lookupLwm2m: async ({ params: { clientid }, query: { path, action } }) => {
      const { lwm2mOf } = await import('./lwm2m/lwm2m.ts');
      return lwm2mOf(core)?.lookup(clientid, action, path) ?? fail('CLIENT_NOT_FOUND');
    },
    observeLwm2m: ({ params: { clientid }, query: { path, enable } }) =>
      command(clientid, enable ? 'observe' : 'cancel-observe', { path }),
    readLwm2m: ({ params: { clientid }, query: { path } }) => command(clientid, 'read', { path }),
    writeLwm2m: ({ params: { clientid }, query }) => command(clientid, 'write', query),
  };
}
