import type { alarms } from '@mqdeck/contract/alarms';
import type { Handlers } from '../../http/handlers.ts';
import { pageOfList } from '../../paging/page.ts';
import type { Alarms } from './alarms.ts';

export const alarmsApi = (its: Alarms): Handlers<typeof alarms> => ({
  list: ({ query }) => pageOfList(query, query.activated ? its.listActive() : its.listPast()),
  clearHistory: () => its.clearPast(),
});
