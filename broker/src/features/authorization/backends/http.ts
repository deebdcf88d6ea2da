import type { HttpSource } from '@mqdeck/contract/authorization';
import type { BackendParts } from '../../../backends/backend.ts';
import { openHttp } from '../../../backends/http.ts';
import { fieldsOf, parseRequest } from '../../../backends/http-request.ts';
import { AUTHORIZATION_NAMES } from '../../../backends/placeholders.ts';
import type { Source, SourceVerdict } from '../source.ts';
import { asking } from './asking.ts';

/** A server that is asked about each publish and subscribe. */
export const openHttpSource = (config: HttpSource, deps: BackendParts): Source =>
  asking(() => {
    const request = parseRequest(config, AUTHORIZATION_NAMES);
    const backend = openHttp({ ...config, origin: request.origin }, deps);
    return {
      backend,
      ask: async (values): Promise<SourceVerdict> => {
        const answer = await backend.request(request.fill(values));
        if (answer.status === 204) return { result: 'allow', why: 'the server answers 204' };
        if (answer.status !== 200)
          return { result: 'ignore', why: `the server answers with status ${answer.status}` };
        switch (fieldsOf(answer)?.result) {
          case 'allow':
            return { result: 'allow', why: 'the server says allow' };
          case 'deny':
            return { result: 'deny', why: 'the server says deny' };
          case 'ignore':
            return { result: 'nomatch', why: 'the server says ignore' };
          default:
            return { result: 'ignore', why: 'the answer has no result allow, deny or ignore' };
        }
      },
    };
  });
