import type { PluginBroker } from '@mqdeck/contract/plugin-api';

/** As `config_schema` in release.json says. */
interface Config {
  greeting: string;
}

/** Called once, when the plugin starts. */
export default function start(broker: PluginBroker<Config>) {
  broker.on('message.publish', ({ payload }) => ({
    payload: broker.config.greeting + new TextDecoder().decode(payload),
  }));
  broker.log.info('ready');
  return () => broker.log.info('gone');
}
