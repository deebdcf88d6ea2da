import { memoryStore } from '../core/store/memory-store.ts';
import { type GroupMember, type Store, StoreUnwritable } from '../core/store/store.ts';

/** A store in memory that writes its groups when the test says so, or refuses them as a full disk does. */
export interface StoreInHand extends Store {
  write(): void;
  refuse(): void;
}

export function storeInHand(): StoreInHand {
  const groups: { member: GroupMember; asked: boolean }[] = [];
  const listeners: ((trouble: Error | null) => void)[] = [];
  const prepared = new Set<GroupMember>();
  let trouble: Error | null = null;
  const prepare = () => {
    for (const group of groups.filter(({ asked }) => asked)) {
      group.asked = false;
      group.member.prepare();
      prepared.add(group.member);
    }
  };
  const tell = (news: Error | null) => {
    if (news === null && trouble === null) return;
    trouble = news;
    for (const listener of listeners) listener(news);
  };
  const write = () => {
    prepare();
    tell(null);
    const members = [...prepared];
    prepared.clear();
    for (const member of members) member.committed();
  };
  return {
    ...memoryStore(),
    joinGroups(member) {
      const group = { member, asked: false };
      groups.push(group);
      return () => {
        group.asked = true;
      };
    },
    get trouble() {
      return trouble;
    },
    onTrouble: (listener) => void listeners.push(listener),
    flushed: async () => {
      if (trouble) throw trouble;
      write();
    },
    write,
    refuse() {
      prepare();
      tell(new StoreUnwritable('The store could not be written'));
    },
  };
}
