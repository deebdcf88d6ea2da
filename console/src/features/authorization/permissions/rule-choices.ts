import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { permissionWords as words } from './words.ts';

export const PERMISSIONS = { allow: words.allow, deny: words.deny } as const;
export const ACTIONS = { publish: words.publish, subscribe: words.subscribe, all: words.both } as const;
export const RETAINS = { all: words.any, true: words.yes, false: words.no } as const;
export const LEVELS = [0, 1, 2] as const;

export const NEW_RULE: BuiltInRule = {
  permission: 'allow',
  action: 'all',
  topic: '',
  qos: [...LEVELS],
  retain: 'all',
};

/** Brokers of before know neither QoS nor retain of a rule. */
export const whole = (rule: Partial<BuiltInRule>): BuiltInRule => ({ ...NEW_RULE, ...rule });
export const isAnyQos = (qos: readonly number[]): boolean => LEVELS.every((level) => qos.includes(level));
