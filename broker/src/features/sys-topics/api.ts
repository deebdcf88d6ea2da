import type { SysTopicsSettings, sysTopics } from '@mqdeck/contract/sys-topics';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

export const sysTopicsApi = (settings: SettingsStore): Handlers<typeof sysTopics> => ({
  get: () => settings.get('sys_topics'),
  update: async ({ body: { sys_event_messages: events = {}, ...change } }) => {
    const old = settings.get('sys_topics');
    const changed: SysTopicsSettings = {
      ...old,
      ...given(change),
      sys_event_messages: { ...old.sys_event_messages, ...given(events) },
    };
    await settings.change('sys_topics', changed);
    return changed;
  },
});

/** Without what was left undefined. */
const given = <T extends object>(part: T) =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };
