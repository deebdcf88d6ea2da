import { isPluginId } from '@mqdeck/contract/plugins';
import * as z from 'zod/mini';
import type { Plugins } from './plugins.ts';

/** How the bytes of a gzip archive begin, in base64. */
const GZIP = 'H4sI';

/** The packages; their order, state and configuration are settings. */
export const pluginsBacked = (plugins: Plugins) => ({
  kind: 'plugins',
  beforeSettings: true,
  row: z.strictObject({
    name_vsn: z.string().check(z.refine(isPluginId, 'it is no name-version of a plugin')),
    package: z.string().check(z.refine((text) => text.startsWith(GZIP), 'it is no gzip archive')),
  }),
  *rows() {
    for (const { id } of plugins.list()) {
      const row = rowOf(plugins, id);
      if (row) yield row;
    }
  },
  find({ name_vsn }: { name_vsn: string }) {
    return rowOf(plugins, name_vsn) ?? undefined;
  },
  put({ name_vsn, package: text }: { name_vsn: string; package: string }): void {
    plugins.bring(name_vsn, Buffer.from(text, 'base64'));
  },
  restored: () => plugins.restored(),
});

function rowOf(plugins: Plugins, id: string): { name_vsn: string; package: string } | null {
  const content = plugins.packageOf(id);
  return content && { name_vsn: id, package: content.toString('base64') };
}
