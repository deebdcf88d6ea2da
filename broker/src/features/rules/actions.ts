import type { RepublishArgs, RuleAction } from '@mqdeck/contract/rules';
import type { Properties, QoS } from '@mqdeck/mqtt/packets';
import { MqttError } from '@mqdeck/mqtt/reason-codes';
import type { Columns } from '@mqdeck/rulesql/compile';
import { template } from '@mqdeck/rulesql/template';
import { isMap, jsonOf, textOf, type Value } from '@mqdeck/rulesql/values';
import type { Core } from '../../core/core.ts';
import type { Descent } from '../../core/descent.ts';
import type { Row } from '../../resources/driver.ts';
import type { BridgeOutputs } from '../../resources/links.ts';
import type { Later } from './later.ts';

/** What an action came to, in the words of the counters. */
export type ActionResult = 'success' | 'failed.out_of_service' | 'failed.unknown' | 'discarded';

/** What an action may see beside the result. */
export interface ActionContext {
  ruleId: string;
  /** What the result was made of. */
  columns: Columns;
  /** Rules that have made the message, one of another's. */
  trail: readonly string[];
  /** What rules have made of the message where it all began. */
  descent: () => Descent;
  /** Something was written to the store: the acknowledgement of the message waits for it. */
  mustLast: () => void;
  /** Says, for whoever looks on, why it did not do it. */
  explain: (why: string) => void;
}

export type Action = (result: Row, context: ActionContext) => ActionResult;

export interface ActionWorld {
  core: Core;
  bridges: BridgeOutputs;
  /** Where the console action writes its lines, each with its end. */
  print: (line: string) => void;
  /** Told of the rules that make too much of one message. */
  onTooMany: (rules: readonly string[]) => void;
  /** Publishes what is made of one message in great numbers. */
  later: Later;
}

/** One rule makes the message of the next at most so often. */
const TRAIL_MAX = 16;

/** Makes a function of an action, once for all messages. */
export function actionOf(action: RuleAction, world: ActionWorld): Action {
  if (typeof action === 'string') return toBridge(bridgeId(action), world);
  if (action.function === 'console') return toConsole(world);
  return republish(action.args, world);
}

/** In rules a webhook is called by its newer name. */
export const bridgeId = (id: string): string => id.replace(/^http:/, 'webhook:');
export const actionName = (id: string): string => id.replace(/^webhook:/, 'http:');

const toBridge =
  (id: string, { bridges }: ActionWorld): Action =>
  (result, { mustLast, trail, explain }) => {
    const sent = bridges.send(id, result, trail);
    if (sent === 'loop') explain('the message came back to this broker through a bridge: the loop ends here');
    if (sent === 'unknown' || sent === 'stopped')
      explain(sent === 'unknown' ? 'there is no such bridge' : 'the bridge is disabled or stopped');
    switch (sent) {
      case 'queued':
        return 'success';
      case 'stored':
        mustLast();
        return 'success';
      case 'stopped':
      case 'loop':
        return 'discarded';
      default:
        return 'failed.out_of_service';
    }
  };

const toConsole =
  ({ print, core }: ActionWorld): Action =>
  (result, { ruleId }) => {
    print(`${new Date(core.clock.now).toISOString()} [rule ${ruleId}] ${jsonOf(result)}\n`);
    return 'success';
  };

function republish(args: RepublishArgs, { core, later, onTooMany }: ActionWorld): Action {
  const topic = template(args.topic);
  const payload = template(args.payload);
  const qos = template(String(args.qos));
  const retain = template(String(args.retain));
  const userProperties = template(args.user_properties);
  const properties = Object.entries(args.mqtt_properties).map(
    ([name, value]) => [name, template(String(value))] as const,
  );
  return (result, { ruleId, columns, trail, descent: descentOf, explain }) => {
    const descent = descentOf();
    if (trail.includes(ruleId) || trail.length >= TRAIL_MAX) {
      explain('a rule makes what it is made of');
      if (descent.tells('loop'))
        core.log.warn({ rule: ruleId, trail }, 'a rule makes what it is made of; the loop ends here');
      return 'failed.unknown';
    }
    const refuse = (): ActionResult => {
      explain('rules have made too many messages of one');
      if (descent.tells('too many')) onTooMany([...trail, ruleId]);
      return 'failed.unknown';
    };
    if (!descent.add(trail.length > 0)) return refuse();
    // QoS and retain are those of the message, where the result has none of them
    const row = { qos: columns.qos, retain: retainOf(columns), user_properties: undefined, ...result };
    const value = payload.value(result);
    const message = {
      topic: topic.text(result),
      payload: value instanceof Uint8Array ? value : textOf(value),
      qos: qosOf(qos.value(row)),
      retain: isTrue(retain.value(row)),
      properties: mqttProperties(
        properties.map(([name, of]) => [name, of.text(result)]),
        userProperties.value({ user_properties: userPropertiesOf(columns), ...result }),
      ),
      clientid: ruleId,
      trail: [...trail, ruleId],
      descent,
      direct: args.direct_dispatch,
    };
    const warn = (err: unknown) => core.log.warn({ err, rule: ruleId }, 'a rule could not republish');
    const publish = (): ActionResult => {
      try {
        const published = core.publish(message);
        if (published instanceof Promise) published.catch(warn);
        return 'success';
      } catch (err) {
        if (!(err instanceof MqttError) && !(err instanceof TypeError)) throw err;
        warn(err);
        explain(err.message);
        return 'failed.unknown';
      }
    };
    if (!descent.isLong) return publish();
    const bytes = message.payload.length + message.topic.length;
    if (later.add({ run: publish, bytes })) return 'success';
    descent.stop();
    return refuse();
  };
}

const retainOf = ({ flags }: Columns): Value => (isMap(flags) ? flags.retain : undefined);
const isTrue = (value: Value): boolean => value === true || value === 'true' || value === 1 || value === '1';

const qosOf = (value: Value): QoS => {
  const number = Number(value);
  return number === 1 || number === 2 ? number : 0;
};

const userPropertiesOf = ({ pub_props }: Columns): Value =>
  isMap(pub_props) ? (pub_props['User-Property-Pairs'] ?? pub_props['User-Property']) : undefined;

/** What is no property of a PUBLISH, or no value of it, is left out. */
function mqttProperties(named: [string, string][], user: Value): Properties {
  const properties: Properties = {};
  for (const [name, text] of named) {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : null;
    switch (name) {
      case 'Payload-Format-Indicator':
        if (number === 0 || number === 1) properties.payloadFormatIndicator = number;
        break;
      case 'Message-Expiry-Interval':
        if (number !== null) properties.messageExpiryInterval = number;
        break;
      case 'Content-Type':
        properties.contentType = text;
        break;
      case 'Response-Topic':
        properties.responseTopic = text;
        break;
      case 'Correlation-Data':
        properties.correlationData = Buffer.from(text);
        break;
    }
  }
  const pairs = pairsOf(user);
  if (pairs.length > 0) properties.userProperty = pairs;
  return properties;
}

function pairsOf(user: Value): [string, string][] {
  if (Array.isArray(user))
    return user.flatMap((one): [string, string][] =>
      isMap(one) && one.key !== undefined ? [[textOf(one.key), textOf(one.value)]] : [],
    );
  if (isMap(user)) return Object.entries(user).map(([key, value]) => [key, textOf(value)]);
  return [];
}
