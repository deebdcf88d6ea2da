import type { alarms } from '@mqdeck/contract/alarms';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { pageOfList } from '../../paging/page.ts';
import type { Alarms } from './alarms.ts';

export const alarmsApi = (its: Alarms): Handlers<typeof alarms> => ({
  list: ({ query }) => pageOfList(query, query.activated ? its.listActive() : its.listPast()),
  clearHistory: () => its.clearPast(),
  deactivate: ({ params: { name } }) => {
    if (!its.deactivate(name)) fail('NOT_FOUND', `The alarm '${name}' is not active`, 404);
  },
});
