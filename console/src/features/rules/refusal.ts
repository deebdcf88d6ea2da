import type { ApiError } from '../../api/api-error.ts';

/** An id that is taken is refused by a sentence only. */
export const faultOf = ({ message }: ApiError, idTaken: string) =>
  /rule id already exists/i.test(message) ? { field: 'id', text: idTaken } : undefined;
