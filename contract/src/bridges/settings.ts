import * as z from 'zod/mini';

/**
 * All bridges as they are kept, by `type:name`; what one holds is checked by the schema of its type. One that names a
 * `connector` is an action or a source, and shares what stands at `connector:type:name` with others.
 */
export const BridgesSettings = z.record(z.string(), z.looseObject({ enable: z._default(z.boolean(), true) }));
export type BridgesSettings = z.output<typeof BridgesSettings>;
