import type { MongodbSource } from '@mqdeck/contract/authorization';
import type { BackendParts } from '../../../backends/backend.ts';
import { openMongodb } from '../../../backends/mongodb.ts';
import { AUTHORIZATION_NAMES, parseFilter, renderDeep } from '../../../backends/placeholders.ts';
import type { Source } from '../source.ts';
import { asking } from './asking.ts';
import { Rows } from './rows.ts';

/** Rules as documents of MongoDB. */
export const openMongodbSource = (config: MongodbSource, deps: BackendParts): Source =>
  asking(() => {
    const filter = parseFilter(config.filter, { names: AUTHORIZATION_NAMES, path: 'filter' });
    const backend = openMongodb(config, deps);
    const rows = new Rows(deps.log, config.type);
    const { collection, limit, skip } = config;
    return {
      backend,
      ask: async (values, who, request) => {
        const rendered = renderDeep(filter, values) as object;
        return rows.judge(await backend.find(collection, rendered, { limit, skip }), who, request);
      },
    };
  });
