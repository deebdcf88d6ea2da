/** Whom a rule is about; `all` of `and` and one of `or` must fit. */
export type AclWho =
  | { kind: 'all' }
  | { kind: 'username' | 'clientid'; value: string }
  | { kind: 'username_re' | 'clientid_re'; pattern: string }
  | { kind: 'ipaddr'; networks: readonly string[] } // addresses or networks in CIDR form
  | { kind: 'client_attr'; name: string; value: string }
  | { kind: 'client_attr_re'; name: string; pattern: string }
  | { kind: 'listener' | 'zone'; value: string }
  | { kind: 'listener_re' | 'zone_re'; pattern: string }
  | { kind: 'and' | 'or'; all: readonly AclWho[] };

/** A filter; placeholders in it stand for what the client says of itself. */
export interface AclTopic {
  filter: string;
  /** Compared as a text: wildcards and placeholders in it stand for themselves. */
  eq: boolean;
  /** Wildcards at its front match topics that begin with `$` too, which `{deny, all}` means. */
  dollar?: boolean;
}

/** One rule, of whatever source; the first that fits decides. */
export interface AuthzRule {
  permission: 'allow' | 'deny';
  who: AclWho;
  action: 'publish' | 'subscribe' | 'all';
  qos: readonly (0 | 1 | 2)[] | null; // null = any
  retain: boolean | null; // null = any; of publishing only
  topics: readonly AclTopic[];
}

/** A topic as databases and the API write it: `eq ` before it makes it a text to be compared. */
export const aclTopic = (text: string): AclTopic =>
  text.startsWith('eq ') ? { filter: text.slice(3), eq: true } : { filter: text, eq: false };
