import type { Message } from './message.ts';
import type { Subscriber, Subscription } from './router.ts';

/** One virtual subscriber for all who share a filter. Keeps the members and whose turn it is. */
export class ShareGroup implements Subscriber {
  readonly filter: string; // `$share/name/filter`
  readonly name: string;
  /** The group's own link in the chain of the filter. */
  link: Subscription | null = null;
  private readonly members: Subscription[] = [];
  private readonly strategy: () => 'round_robin' | 'random';
  private turn = 0;

  constructor(filter: string, name: string, strategy: () => 'round_robin' | 'random') {
    this.filter = filter;
    this.name = name;
    this.strategy = strategy;
  }

  get size(): number {
    return this.members.length;
  }
  get connected(): boolean {
    return this.members.some(({ subscriber }) => subscriber.connected);
  }

  add(member: Subscription): void {
    this.members.push(member);
  }

  remove(member: Subscription): void {
    const at = this.members.indexOf(member);
    if (at === -1) return;
    this.members.splice(at, 1);
    if (at < this.turn) this.turn--;
  }

  deliver(message: Message): void {
    const member = this.pick(null);
    if (member) member.subscriber.deliver(message, member);
  }

  /** False when there is nobody else. */
  redispatch(message: Message, from: Subscription): boolean {
    const member = this.pick(from);
    if (member) member.subscriber.deliver(message, member);
    return member !== null;
  }

  /** The next connected member; when all are away, the next one whose session waits. */
  private pick(except: Subscription | null): Subscription | null {
    const { members } = this;
    const count = members.length;
    if (count === 0) return null;
    const start = this.strategy() === 'random' ? Math.floor(Math.random() * count) : this.turn % count;
    let away: Subscription | null = null;
    for (let i = 0; i < count; i++) {
      const at = (start + i) % count;
      const member = members[at]!;
      if (member === except) continue;
      if (member.subscriber.connected) {
        this.turn = at + 1;
        return member;
      }
      away ??= member;
    }
    this.turn = start + 1;
    return away;
  }
}
