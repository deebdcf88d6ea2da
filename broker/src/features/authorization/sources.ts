import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import type { BackendParts } from '../../backends/backend.ts';
import { openHttpSource } from './backends/http.ts';
import { openMongodbSource } from './backends/mongodb.ts';
import { openRedisSource } from './backends/redis.ts';
import { openMysqlSource, openPostgresqlSource } from './backends/sql.ts';
import type { BuiltInRules } from './built-in-rules.ts';
import { openBuiltInSource } from './built-in-source.ts';
import { openFileSource } from './file-source.ts';
import type { OpenSource } from './seat.ts';
import type { Source } from './source.ts';

/** Which configuration opens what. */
export const sources =
  (rules: BuiltInRules, parts: BackendParts): OpenSource =>
  (config: AuthorizationSource): Source => {
    if (config.enable) parts.outbound.checkConfig(config);
    switch (config.type) {
      case 'file':
        return openFileSource(config);
      case 'built_in_database':
        return openBuiltInSource(rules);
      case 'mysql':
        return openMysqlSource(config, parts);
      case 'postgresql':
        return openPostgresqlSource(config, parts);
      case 'mongodb':
        return openMongodbSource(config, parts);
      case 'redis':
        return openRedisSource(config, parts);
      case 'http':
        return openHttpSource(config, parts);
    }
  };
