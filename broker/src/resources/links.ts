import type { Row } from './driver.ts';

/** What rules may ask of the bridges; ids are `type:name`. */
export interface BridgeOutputs {
  /**
   * Hands over a row: `queued` = the bridge answers for it from now on, `stored` = as soon as the store has written,
   * `unknown` = there is no such bridge, `stopped` = it is disabled or stopped,
   * `loop` = the bridge leads to this broker, and the message of this trail came through such a bridge already.
   */
  send(id: string, row: Row, trail: readonly string[]): 'queued' | 'stored' | 'unknown' | 'stopped' | 'loop';
  has(id: string): boolean;
}

/** What bridges may ask of the rules. */
export interface RuleInputs {
  /** What a bridge has fetched: `$bridges/mqtt:name`. */
  fromBridge(source: string, row: Row): void;
  /** Ids of the rules that send to a bridge, or read from it. */
  usersOf(bridgeId: string): string[];
  /** Takes a bridge out of the actions of all rules. */
  dropBridge(bridgeId: string): Promise<void>;
}
