import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import { BackendConfigError } from '../../backends/backend.ts';
import type { BuiltInRules } from './built-in-rules.ts';
import { openBuiltInSource } from './built-in-source.ts';
import { openFileSource } from './file-source.ts';
import type { OpenSource } from './seat.ts';
import type { Source } from './source.ts';

/** Which configuration opens what. */
export const sources =
  (rules: BuiltInRules): OpenSource =>
  (config: AuthorizationSource): Source => {
    switch (config.type) {
      case 'file':
        return openFileSource(config);
      case 'built_in_database':
        return openBuiltInSource(rules);
      default:
        throw new BackendConfigError('type', `${config.type} is not available`);
    }
  };
