import type { BridgeType } from '@mqdeck/contract/bridges/types';
import type { DriverFactory } from '../../resources/driver.ts';
import { mqttDriver } from './drivers/mqtt.ts';
import { webhookDriver } from './drivers/webhook.ts';

/** How each type of bridge reaches its target; the configuration is checked by the contract before. */
export const drivers: Record<BridgeType, DriverFactory<never>> = {
  webhook: webhookDriver,
  mqtt: mqttDriver,
};
