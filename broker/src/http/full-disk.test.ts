import { afterAll, expect, test, vi } from 'vitest';
import { mountSmallDisk } from '../testing/small-disk.ts';
import { startTestBroker } from '../testing/start-test-broker.ts';

const disk = mountSmallDisk();
afterAll(() => disk?.unmount());

test.skipIf(!disk)(
  'on a full disk a change is 503, nothing ends, and later changes are kept again',
  async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined); // LMDB's own words
    const { folder, fill, free } = disk!;
    const broker = await startTestBroker({ dataDir: folder });
    const ada = { username: 'ada', password: 'Secret-1234', description: '', role: 'administrator' };
    fill();
    const refused = { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } };
    expect(await broker.inject('POST', '/users', { body: ada })).toMatchObject(refused);
    const retainer = await broker.inject<object>('GET', '/mqtt/retainer');
    expect(retainer.status).toBe(200);
    expect(await broker.inject('PUT', '/mqtt/retainer', { body: retainer.body })).toMatchObject(refused);

    free();
    // Settles when the store has found room again
    await vi.waitFor(async () => expect((await broker.inject('DELETE', '/users/ada')).status).not.toBe(503), {
      timeout: 10_000,
      interval: 200,
    });
    expect((await broker.inject('POST', '/users', { body: ada })).status).toBe(200);
    await broker.close();
  },
);
