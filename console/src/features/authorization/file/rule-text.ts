import type { AclTopic, AclWho, AuthzRule } from '@mqdeck/contract/acl/rule';
import type { Words } from '../../../i18n/words.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import type { ruleWords } from './rule-words.ts';

type W = Words<typeof ruleWords>;

const HAN = /^\p{Script=Han}/u;

/** "Everybody may not subscribe to $SYS/#". */
export function ruleText({ permission, who, action, qos, retain, topics }: AuthzRule, w: W): string {
  const conditions = [
    qos === null || new Set(qos).size === 3 ? '' : w.qos({ levels: [...new Set(qos)].join(w.comma) }),
    retain === null || action === 'subscribe' ? '' : retain ? w.retained : w.notRetained,
  ].join('');
  const list = topics.map((topic) => topicText(topic, w)).join(w.comma);
  // Chinese puts a space only where its neighbour is not Chinese too.
  const gap = HAN.test(list) && HAN.test(w.anything) ? '' : ' ';
  const what = { topics: gap + list, conditions };
  const denied = permission === 'deny';
  const sentence = {
    who: whoText(who, w),
    what: action === 'all' && denied ? w.allDenied(what) : w[action](what),
  };
  return denied ? w.denied(sentence) : w.allowed(sentence);
}

function topicText({ filter, eq, dollar }: AclTopic, w: W): string {
  if (eq) return w.exactly({ filter: visibleText(filter) });
  if (filter === '#') return dollar ? w.anything : w.anythingPlain;
  return visibleText(filter);
}

function whoText(who: AclWho, w: W): string {
  switch (who.kind) {
    case 'all':
      return w.everybody;
    case 'ipaddr':
      return w.ipaddr({ value: who.networks.map(visibleText).join(w.comma) });
    case 'client_attr':
      return w.client_attr({ name: visibleText(who.name), value: visibleText(who.value) });
    case 'client_attr_re':
      return w.client_attr_re({ name: visibleText(who.name), value: visibleText(who.pattern) });
    case 'and':
    case 'or':
      return w[who.kind]({ value: who.all.map((one) => whoText(one, w)).join(w.semicolon) });
    case 'username':
    case 'clientid':
    case 'listener':
    case 'zone':
      return w[who.kind]({ value: visibleText(who.value) });
    default:
      return w[who.kind]({ value: visibleText(who.pattern) });
  }
}
