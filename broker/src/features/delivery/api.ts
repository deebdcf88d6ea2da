import type { delivery } from '@mqdeck/contract/delivery';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { type DeliveryParts, explainDelivery } from './explain.ts';
import { followMessage } from './probe.ts';

/** Whoever is asked about a client may be a system behind the broker; and who follows messages joins the hooks of all. */
const AT_ONCE = 4;

export function deliveryApi(parts: DeliveryParts): Handlers<typeof delivery> {
  let running = 0;
  const oneOfFew = async <T>(topic: string, run: () => Promise<T>): Promise<T> => {
    if (!isValidTopic(topic))
      return fail('BAD_TOPIC', 'A topic to publish to has no wildcards and is not empty');
    if (running >= AT_ONCE)
      return fail(
        'SERVICE_UNAVAILABLE',
        `${AT_ONCE} such questions are being answered; try again in a moment`,
      );
    running++;
    try {
      return await run();
    } finally {
      running--;
    }
  };
  return {
    explain: ({ body }) => oneOfFew(body.topic, () => explainDelivery(parts, body)),
    probe: ({ body }) => oneOfFew(body.topic, () => followMessage(parts, body)),
  };
}
