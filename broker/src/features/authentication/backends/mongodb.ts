import type { MongodbAuthenticator } from '@mqdeck/contract/authentication';
import type { BackendParts, Row } from '../../../backends/backend.ts';
import { openMongodb } from '../../../backends/mongodb.ts';
import { AUTHENTICATION_NAMES, parseFilter, renderDeep } from '../../../backends/placeholders.ts';
import type { Authenticator } from '../authenticator.ts';
import { asking, judged, NO_PASSWORD } from './asking.ts';

/** Users as documents of MongoDB. */
export const openMongodbAuthenticator = (config: MongodbAuthenticator, deps: BackendParts): Authenticator =>
  asking(() => {
    const filter = parseFilter(config.filter, { names: AUTHENTICATION_NAMES, path: 'filter' });
    const backend = openMongodb(config, deps);
    return {
      backend,
      ask: async ({ password, peerhost }, values) => {
        if (password === null) return NO_PASSWORD;
        const rendered = renderDeep(filter, values) as object;
        const [document] = await backend.find(config.collection, rendered, { limit: 1, skip: 0 });
        const user = document && {
          hash: field(document, config.password_hash_field),
          salt: field(document, config.salt_field),
          isSuperuser: field(document, config.is_superuser_field),
        };
        return judged(user ?? null, password, config.password_hash_algorithm, peerhost);
      },
    };
  });

const field = (document: Row, name: string): unknown =>
  Object.hasOwn(document, name) ? document[name] : null;
