import { EventEmitter, once } from 'node:events';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterAll, expect, test, vi } from 'vitest';
import { mountSmallDisk } from '../../testing/small-disk.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { ClientOptions } from '../../testing/test-client.ts';
import { openStore } from './environment.ts';

const disk = mountSmallDisk();
afterAll(() => disk?.unmount());

test.skipIf(!disk)(
  'a full disk ends nothing: it is said, and writing goes on when there is room',
  async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined); // LMDB's own words
    const { folder, fill, free } = disk!;
    const store = openStore(folder);
    const rows = store.collection<Buffer>('rows');
    const news = new EventEmitter();
    store.onTrouble((trouble) => news.emit(trouble ? 'trouble' : 'well'));
    let committed = 0;
    const ask = store.joinGroups({ prepare: () => undefined, committed: () => void committed++ });
    rows.put('first', Buffer.from('1'));
    await store.flushed();
    fill();

    const trouble = once(news, 'trouble');
    ask();
    for (let i = 0; i < 10; i++) rows.put(i, Buffer.alloc(100_000));
    await expect(store.flushed()).rejects.toThrow('could not be written');
    await trouble;
    expect(store.trouble?.cause).toBeInstanceOf(Error);
    expect(committed).toBe(0);
    await expect(store.flushed()).rejects.toThrow('could not be written');
    expect(rows.get(9)).toHaveLength(100_000);

    const well = once(news, 'well');
    free();
    await well;
    expect(store.trouble).toBeNull();
    await store.flushed();
    expect(committed).toBe(1);
    await store.close();
    const again = openStore(folder);
    expect(again.collection<Buffer>('rows').count()).toBe(11);
    await again.close();
  },
);

test.skipIf(!disk)(
  'on a full disk a client with a persistent session hears 0x97, and connects when there is room',
  async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { folder, fill, free } = disk!;
    const store = openStore(folder);
    const broker = startTestCore({ store });
    const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };
    const connack = async (options: ClientOptions) =>
      (await broker.dial('a', options).client.connect()).reasonCode;
    fill();
    expect(await connack(kept)).toBe(ReasonCode.QuotaExceeded);
    expect(await connack({ version: 4, cleanStart: false })).toBe(3);
    expect(await connack({})).toBe(ReasonCode.Success);

    const well = new Promise<void>((resolve) => store.onTrouble((trouble) => trouble ?? resolve()));
    free();
    await well;
    expect(await connack(kept)).toBe(ReasonCode.Success);
    await broker.close();
    await store.close();
  },
);
