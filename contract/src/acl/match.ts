import { inNetwork, parseAddress, parseNetwork } from './network.ts';
import type { AclWho, AuthzRule } from './rule.ts';
import { type AclNames, TopicTemplate } from './topic-template.ts';

/** Whose request it is. */
export interface AclSubject extends AclNames {
  readonly address: string;
  readonly listener: string; // `tcp:default`
  readonly zone?: string; // `default` unless told
}

/** A filter, without its share part, when subscribing. */
export interface AclRequest {
  readonly action: 'publish' | 'subscribe';
  readonly topic: string;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

/** Turns a pattern into a test; throws when it is none. It must be linear: patterns and values come from outside. */
export type CompilePattern = (pattern: string) => (value: string) => boolean;

type Fits = (who: AclSubject) => boolean;

export interface CompiledRule {
  readonly rule: AuthzRule;
  fits(who: AclSubject, request: AclRequest): boolean;
}

/** A rule, ready to be asked often. Throws what `compilePattern` throws. */
export function compileRule(rule: AuthzRule, compilePattern: CompilePattern): CompiledRule {
  const { permission, action, qos, retain } = rule;
  const who = compileWho(rule.who, compilePattern);
  const templates = rule.topics.map((topic) => new TopicTemplate(topic));
  return {
    rule,
    fits: (subject, request) => {
      if (action !== 'all' && action !== request.action) return false;
      if (qos !== null && !qos.includes(request.qos)) return false;
      if (retain !== null && request.action === 'publish' && retain !== request.retain) return false;
      if (!who(subject)) return false;
      const { topic } = request;
      let levels: readonly string[] | null = null;
      for (const template of templates) {
        levels ??= topic.split('/');
        if (template.fits(topic, levels, subject, permission)) return true;
      }
      return false;
    },
  };
}

function compileWho(who: AclWho, compilePattern: CompilePattern): Fits {
  switch (who.kind) {
    case 'all':
      return () => true;
    case 'username':
      return ({ username }) => username === who.value;
    case 'clientid':
      return ({ clientid }) => clientid === who.value;
    case 'username_re': {
      const matches = compilePattern(who.pattern);
      return ({ username }) => username !== null && matches(username);
    }
    case 'clientid_re': {
      const matches = compilePattern(who.pattern);
      return ({ clientid }) => matches(clientid);
    }
    case 'ipaddr':
      return compileNetworks(who.networks);
    case 'client_attr':
      return ({ attributes }) => Object.hasOwn(attributes, who.name) && attributes[who.name] === who.value;
    case 'client_attr_re': {
      const matches = compilePattern(who.pattern);
      return ({ attributes }) => Object.hasOwn(attributes, who.name) && matches(attributes[who.name]!);
    }
    case 'listener':
      return ({ listener }) => listener === who.value;
    case 'zone':
      return ({ zone = 'default' }) => zone === who.value;
    case 'listener_re': {
      const matches = compilePattern(who.pattern);
      return ({ listener }) => matches(listener);
    }
    case 'zone_re': {
      const matches = compilePattern(who.pattern);
      return ({ zone = 'default' }) => matches(zone);
    }
    case 'and': {
      const all = who.all.map((one) => compileWho(one, compilePattern));
      return (subject) => all.every((fits) => fits(subject));
    }
    case 'or': {
      const all = who.all.map((one) => compileWho(one, compilePattern));
      return (subject) => all.some((fits) => fits(subject));
    }
  }
}

function compileNetworks(texts: readonly string[]): Fits {
  const networks = texts.flatMap((text) => parseNetwork(text) ?? []);
  return ({ address }) => {
    const parsed = parseAddress(address);
    return parsed !== null && networks.some((network) => inNetwork(network, parsed));
  };
}
