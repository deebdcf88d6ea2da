import type { PluginBroker, PluginMessage } from '@mqdeck/contract/plugin-api';

interface Config {
  stamp: string;
  closed: string;
  count: boolean;
  count_topic: string;
  count_every: number; // seconds
}

/** Stamps, closes and counts; what it does is configured while it runs. */
export default function start(broker: PluginBroker<Config>) {
  let counted = 0;

  broker.on('message.publish', ({ properties }: PluginMessage) => {
    counted++;
    const others = properties.userProperty ?? [];
    return { properties: { ...properties, userProperty: [...others, ['seen-by', broker.config.stamp]] } };
  });

  broker.on('client.authorize', (_client, { topic }) => {
    const { closed } = broker.config;
    return closed !== '' && topic.startsWith(closed) ? 'deny' : undefined;
  });

  const report = async (): Promise<void> => {
    const { count, count_topic: topic } = broker.config;
    if (!count) return;
    try {
      await broker.publish({ topic, payload: String(counted), retain: true });
    } catch (cause) {
      broker.log.warn(`the count was not published: ${cause}`);
    }
  };
  const every = () => setInterval(() => void report(), broker.config.count_every * 1000);
  let timer = every();
  broker.onConfig(() => {
    clearInterval(timer);
    timer = every();
  });

  broker.log.info('the doorman stands at the door');
  return () => clearInterval(timer);
}
