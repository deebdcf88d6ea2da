import type { Endpoint } from '@mqdeck/contract/kit/endpoint';

interface Definition {
  shape?: Record<string, { _zod: { def: Definition } }>;
  innerType?: { _zod: { def: Definition } };
  entries?: Record<string, string>;
}

/** The fields by which the contract lets an endpoint sort; none where it knows no sorting. */
export function sortFieldsOf(endpoint: Endpoint): string[] {
  const query = endpoint.query?._zod.def as Definition | undefined;
  let one = query?.shape?.sort?._zod.def;
  while (one?.innerType) one = one.innerType._zod.def;
  return Object.values(one?.entries ?? {});
}
