import { REWRITE_RULES_MAX, type RewriteRule, type RewriteSettings } from '@mqdeck/contract/topic-rewrite';
import { filterMatches, isSystemTopic, isValidTopic, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import { RE2JS } from 're2js';
import type { Core } from '../../core/core.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';

/** Before whatever has to do with the topic: delayed publishing, the rules, the retainer. */
const FIRST = 200;
const OWNER = 'topic-rewrite';

interface Compiled {
  source: string;
  pattern: RE2JS;
  dest: string;
}
type Names = Pick<ClientInfo, 'clientid' | 'username'>;

/** Gives topics of publishers and filters of subscribers the name that the rules say. The answer ends it. */
export function startTopicRewrite({ hooks }: Core, settings: SettingsStore): () => void {
  let off: (() => void)[] = [];

  /** Hooks are joined only while there is something to do for them: a broker without rules pays nothing. */
  function follow({ rules }: RewriteSettings): void {
    for (const end of off) end();
    const of = (action: 'publish' | 'subscribe') =>
      rules.filter((rule) => rule.action === action || rule.action === 'all').map(compile);
    const [publish, subscribe] = [of('publish'), of('subscribe')];
    const options = { priority: FIRST, owner: OWNER };
    off = [];
    if (publish.length > 0)
      off.push(
        hooks.on(
          'message.publish',
          (message) => {
            if (message.system) return;
            const names = { clientid: message.from, username: message.publisher?.username ?? null };
            const topic = topicBy(publish, message.topic, names);
            if (topic !== message.topic) message.change({ topic });
          },
          options,
        ),
      );
    const rewriteFilters = (who: ClientInfo, requests: readonly { filter: string }[]) => {
      for (const request of requests) request.filter = rewrittenFilter(request.filter, subscribe, who);
    };
    if (subscribe.length > 0)
      off.push(
        hooks.on('client.subscribe', rewriteFilters, options),
        hooks.on('client.unsubscribe', rewriteFilters, options),
      );
  }

  settings.guard('rewrite', ({ rules }) => {
    if (rules.length > REWRITE_RULES_MAX)
      throw new SettingsFault(['rules'], `there can be ${REWRITE_RULES_MAX} rules at most`);
    for (const [i, rule] of rules.entries()) {
      const fault = ruleFault(rule);
      if (fault) throw new SettingsFault(['rules', i], fault);
    }
  });
  follow(settings.get('rewrite'));
  const stop = settings.onChange('rewrite', follow);
  return () => {
    stop();
    for (const end of off) end();
  };
}

/** What becomes of a topic that somebody publishes to; the same when no rule fits. */
export function topicFor({ rules }: RewriteSettings, topic: string, names: Names): string {
  const mine = rules.filter(({ action }) => action !== 'subscribe').map(compile);
  return topicBy(mine, topic, names);
}

/** A name or a part of the topic never makes one of it that belongs to the broker. */
function topicBy(rules: readonly Compiled[], topic: string, names: Names): string {
  const result = rewritten(topic, rules, names);
  return isValidTopic(result) && !isSystemTopic(result) ? result : topic;
}

/** Why a rule cannot be, or null. */
export function ruleFault({ action, source_topic, re, dest_topic }: RewriteRule): string | null {
  if (action !== 'subscribe' && /[+#]/.test(dest_topic))
    return `dest_topic: nothing can be published to "${dest_topic}", which has wildcards`;
  if (!/^[^\0]*$/.test(source_topic + dest_topic)) return 'a topic cannot contain U+0000';
  try {
    RE2JS.compile(re);
  } catch (cause) {
    return `re: ${cause instanceof Error ? cause.message : 'no regular expression'}`;
  }
  return null;
}

const compile = ({ source_topic, re, dest_topic }: RewriteRule): Compiled => ({
  source: source_topic,
  pattern: RE2JS.compile(re),
  dest: dest_topic,
});

/** The group of a shared or exclusive subscription stays what it is. */
function rewrittenFilter(filter: string, rules: readonly Compiled[], names: Names): string {
  const plain = parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;
  return filter.slice(0, filter.length - plain.length) + rewritten(plain, rules, names);
}

function rewritten(topic: string, rules: readonly Compiled[], names: Names): string {
  const rule = rules.find(({ source }) => filterMatches(source, topic));
  if (!rule) return topic;
  const matcher = rule.pattern.matcher(topic);
  if (!matcher.find()) return topic;
  let wider = false;
  const result = rule.dest.replace(/\$(?:([1-9])|\{(clientid|username)\})/g, (found, group, name) => {
    if (group !== undefined)
      return Number(group) <= matcher.groupCount() ? (matcher.group(Number(group)) ?? '') : found;
    const value = names[name as keyof Names];
    // A name with wildcards would make more of the filter than the rule says
    if (value === null || /[+#/]/.test(value)) wider = true;
    return value ?? '';
  });
  return wider ? topic : result;
}
