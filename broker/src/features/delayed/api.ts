import type { delayed } from '@mqdeck/contract/delayed';
import type { Entry } from '../../core/store/store.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { DelayedPublish } from './delayed.ts';
import { type Delayed, idOf, isId } from './store.ts';

export function delayedApi(
  publish: DelayedPublish,
  settings: SettingsStore,
  node: string,
): Handlers<typeof delayed> {
  const { store } = publish;
  const check = (params: { node: string; msgid: string }) => {
    if (params.node !== node) fail('NOT_FOUND', `Node not found: ${params.node}`);
    if (!isId(params.msgid))
      fail(
        'MESSAGE_ID_SCHEMA_ERROR',
        `A message id has 32 hexadecimal digits, not: ${params.msgid.slice(0, 64)}`,
      );
  };
  const present = (id: string, one: Delayed) => ({
    msgid: id,
    node,
    topic: one.topic,
    qos: one.qos,
    publish_at: rfc3339(one.publishedAt),
    delayed_interval: one.seconds,
    delayed_remaining: Math.max(0, Math.floor((one.dueAt - Date.now()) / 1000)),
    expected_at: rfc3339(one.dueAt),
    from_clientid: one.from,
    from_username: one.username ?? '',
  });
  return {
    get: () => settings.get('delayed'),
    update: async ({ body: { enable, max_delayed_messages } }) => {
      const changed = {
        ...settings.get('delayed'),
        ...(enable !== undefined && { enable }),
        ...(max_delayed_messages !== undefined && { max_delayed_messages }),
      };
      await settings.change('delayed', changed);
      await publish.settingsChanged();
      return changed;
    },
    messages: async ({ query: { page, limit, order } }) => {
      const found = await pageOf<Entry<Delayed>>(
        { page, limit },
        { rows: store.slices(order ?? 'desc'), matches: () => true, counted: true, total: store.size },
      );
      if (order) Object.assign(found.meta, { sort: 'expected_at', order });
      return presented(found, ({ key, value }) => present(idOf(key), value));
    },
    message: ({ params }) => {
      check(params);
      const one = store.get(params.msgid);
      if (!one) return fail('MESSAGE_ID_NOT_FOUND', `No message ${params.msgid} waits`);
      const payload = Buffer.from(one.payload).toString('base64');
      return { ...present(params.msgid.toUpperCase(), one), payload };
    },
    remove: async ({ params }) => {
      check(params);
      if (!(await store.remove(params.msgid)))
        return fail('MESSAGE_ID_NOT_FOUND', `No message ${params.msgid} waits`);
    },
  };
}
