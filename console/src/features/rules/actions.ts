import type { Rule } from '@mqdeck/contract/rules';
import type { Words } from '../../i18n/words.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { actionWords } from './action-words.ts';
import { bridgeIdOf } from './bridge-sides.ts';

/** An action as rules hold it: a bridge's id, or a function with arguments. */
export type Action = Rule['actions'][number];

/** What the form of an action holds. */
export interface ActionValues {
  type: 'republish' | 'console' | 'bridge';
  bridge: string;
  topic: string;
  qos: string;
  qosText: string;
  retain: string;
  retainText: string;
  payload: string;
  mqtt_properties: Record<string, unknown>;
  user_properties: string;
  direct_dispatch: boolean;
}

const OTHER = 'other';
export const QOS = ['0', '1', '2', '${qos}', OTHER] as const;
export const RETAIN = ['true', 'false', '${retain}', '${flags.retain}', OTHER] as const;
export const isOther = (choice: unknown): boolean => choice === OTHER;

const STANDARD: ActionValues = {
  type: 'republish',
  bridge: '',
  topic: '',
  qos: '${qos}',
  qosText: '',
  retain: '${retain}',
  retainText: '',
  payload: '${payload}',
  mqtt_properties: {},
  user_properties: '${user_properties}',
  direct_dispatch: false,
};

export const isConsole = (action: Action): boolean =>
  typeof action !== 'string' && action.function === 'console';
/** Another broker may know functions that we do not: those stay as they are. */
export const isKnown = (action: Action): boolean =>
  typeof action === 'string' || action.function === 'console' || action.function === 'republish';

export const argsOf = (action: Action): Record<string, unknown> => {
  const args = typeof action === 'string' ? undefined : action.args;
  return typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {};
};

/** What an action is called, in a line. */
export function actionName(action: Action, w: Words<typeof actionWords>): string {
  if (typeof action === 'string') return visibleText(bridgeIdOf(action));
  if (isConsole(action)) return w.console;
  if (action.function === 'republish') return `${w.republish} ${visibleText(String(argsOf(action).topic))}`;
  return visibleText(action.function);
}

export function valuesOf(action: Action | undefined): ActionValues {
  if (action === undefined) return STANDARD;
  if (typeof action === 'string') return { ...STANDARD, type: 'bridge', bridge: bridgeIdOf(action) };
  if (action.function === 'console') return { ...STANDARD, type: 'console' };
  const args = argsOf(action);
  const qos = chosen(args.qos, QOS, STANDARD.qos);
  const retain = chosen(args.retain, RETAIN, STANDARD.retain);
  return {
    ...STANDARD,
    topic: textOf(args.topic, ''),
    qos: qos.choice,
    qosText: qos.text,
    retain: retain.choice,
    retainText: retain.text,
    payload: textOf(args.payload, STANDARD.payload),
    mqtt_properties: (args.mqtt_properties ?? {}) as Record<string, unknown>,
    user_properties: textOf(args.user_properties, STANDARD.user_properties),
    direct_dispatch: args.direct_dispatch === true,
  };
}

export function actionOf(values: ActionValues): Action {
  if (values.type === 'console') return { function: 'console' };
  if (values.type === 'bridge') return values.bridge;
  const { topic, qos, qosText, retain, retainText, payload } = values;
  const { mqtt_properties, user_properties, direct_dispatch } = values;
  const level = isOther(qos) ? qosText : qos;
  const kept = isOther(retain) ? retainText : retain;
  return {
    function: 'republish',
    args: {
      topic,
      qos: /^[012]$/.test(level) ? Number(level) : level,
      retain: kept === 'true' ? true : kept === 'false' ? false : kept,
      payload,
      mqtt_properties,
      user_properties,
      direct_dispatch,
    },
  };
}

const textOf = (value: unknown, standard: string): string =>
  value === undefined || value === null ? standard : String(value);

function chosen(value: unknown, choices: readonly string[], standard: string) {
  const text = textOf(value, standard);
  return choices.includes(text) && text !== OTHER ? { choice: text, text: '' } : { choice: OTHER, text };
}
