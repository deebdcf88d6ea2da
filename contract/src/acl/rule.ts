/** Whom a rule is about; `all` of `and` and one of `or` must fit. */
export type AclWho =
  | { kind: 'all' }
  | { kind: 'username' | 'clientid'; value: string }
  | { kind: 'username_re' | 'clientid_re'; pattern: string }
  | { kind: 'ipaddr'; networks: readonly string[] } // addresses or networks in CIDR form
  | { kind: 'client_attr'; name: string; value: string }
  | { kind: 'client_attr_re'; name: string; pattern: string }
  | { kind: 'listener'; value: string }
  | { kind: 'zone'; value: string }
  | { kind: 'and' | 'or'; all: readonly AclWho[] };

/** A filter with placeholders; `eq` compares it as a text, so that wildcards in it stand for themselves. */
export interface AclTopic {
  filter: string;
  eq: boolean;
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
