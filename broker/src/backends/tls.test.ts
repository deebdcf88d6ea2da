import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SslClient } from '@mqdeck/contract/kit/ssl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { BackendConfigError } from './backend.ts';
import { tlsOptions } from './tls.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqdeck-tls-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const optionsOf = (cacertfile: string) => tlsOptions(z.parse(SslClient, { enable: true, cacertfile }));

describe('a certificate of an authority', () => {
  test('is a text, or the text of a file', () => {
    const text = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    writeFileSync(join(folder, 'ca.pem'), text);
    expect(optionsOf(text)).toMatchObject({ ca: text });
    expect(optionsOf(join(folder, 'ca.pem'))).toMatchObject({ ca: text });
  });

  test('is no folder, no device without end and no pipe that nobody writes to: all others would wait with it', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'large.pem'), Buffer.alloc(1024 * 1024 + 1));
    for (const file of [join(folder, 'pipe'), '/dev/zero', folder, join(folder, 'large.pem'), 'nope'])
      expect(() => optionsOf(file), file).toThrow(BackendConfigError);
  });
});
