import type { monitor } from '@mqdeck/contract/monitor';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { Monitor } from './monitor.ts';

export function monitorApi(its: Monitor, node: string): Handlers<typeof monitor> {
  const check = (name: string) => {
    if (name !== node) fail('NOT_FOUND', `Node not found: ${name}`);
  };
  return {
    history: ({ query }) => its.history(query.latest),
    historyOfNode: ({ params, query }) => {
      check(params.node);
      return its.history(query.latest);
    },
    clear: () => its.clear(),
    current: () => its.current(),
    currentOfNode: ({ params }) => {
      check(params.node);
      return its.current();
    },
  };
}
