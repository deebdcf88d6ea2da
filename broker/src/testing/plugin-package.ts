import { gzipSync } from 'node:zlib';
import { TAR_END, tarEntry } from '../archive/tar.ts';

/** An archive of these files, in a folder of this name; a name that begins with `/` or `.` stands as it is. */
export const packed = (folder: string, files: Record<string, string | Buffer>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(files).map(([file, content]) =>
        tarEntry(/^[./]/.test(file) ? file : `${folder}/${file}`, Buffer.from(content), 0),
      ),
      TAR_END,
    ]),
  );

/** A package of a plugin whose module has this text. */
export function pluginPackage(
  id: string,
  main: string,
  manifest: object = {},
  files: Record<string, string> = {},
): { filename: string; content: Buffer } {
  const [name = '', ...version] = id.split('-');
  const release = {
    name,
    rel_vsn: version.join('-'),
    main: 'main.mjs',
    description: 'A plugin',
    ...manifest,
  };
  return {
    filename: `${id}.tar.gz`,
    content: packed(id, { 'release.json': JSON.stringify(release), 'main.mjs': main, ...files }),
  };
}

/** The form that brings it. */
export function pluginForm({ filename, content }: { filename: string; content: Buffer }, field = 'plugin') {
  const head = `--frontier\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n`;
  const rawBody = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--frontier--\r\n')]);
  return { rawBody, headers: { 'content-type': 'multipart/form-data; boundary=frontier' } };
}
