import { errorCodes, type errors } from '@mqdeck/contract/error-codes';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';

const rows = Object.entries(errorCodes).map(([code, [, description]]) => ({ code, description }));

export const errorCodesApi: Handlers<typeof errors> = {
  list: () => rows,
  get: ({ params }) =>
    rows.find(({ code }) => code === params.code) ?? fail('NOT_FOUND', `Code not found: ${params.code}`),
};
