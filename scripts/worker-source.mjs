import { readFile } from 'node:fs/promises';
import { transformWithOxc } from 'vite';

const MARK = '?source';

/**
 * For Vite: `import text from './worker.ts?source'` is that module as JavaScript, for a thread that is started from its
 * text. So the program stays one file, and tests run the same worker. Such a module imports types and Node alone.
 */
export const workerSource = () => ({
  name: 'worker-source',
  enforce: 'pre',
  async resolveId(id, importer) {
    if (!id.endsWith(MARK)) return null;
    const resolved = await this.resolve(id.slice(0, -MARK.length), importer);
    return resolved && resolved.id + MARK;
  },
  async load(id) {
    if (!id.endsWith(MARK)) return null;
    const file = id.slice(0, -MARK.length);
    this.addWatchFile(file);
    const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
    return `export default ${JSON.stringify(code)};`;
  },
});
