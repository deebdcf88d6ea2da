import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const source = path.join(import.meta.dirname, '..');
const mantine = path.join(source, '../../node_modules/@mantine/core');
const read = (file: string) => readFileSync(file, 'utf8');
const filesBelow = (folder: string, ending: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));
const sheets = ['mantine-login.css', 'mantine-shell.css'].flatMap((name) =>
  [...read(path.join(import.meta.dirname, name)).matchAll(/styles\/(\w+)\.layer\.css/g)].map(
    (match) => match[1]!,
  ),
);
/** The sheets of all components that a module of Mantine draws: each has its class names in `Name.module.mjs`. */
function sheetsBehind(module: string, seen = new Set<string>()): string[] {
  if (seen.has(module) || !existsSync(module)) return [];
  seen.add(module);
  const own = /([A-Z]\w+)\.module\.mjs$/.exec(module)?.[1];
  if (own) return [own];
  const imported = [...read(module).matchAll(/from "(\.[^"]+\.mjs)"/g)];
  return imported.flatMap(([, to]) => sheetsBehind(path.join(path.dirname(module), to!), seen));
}

const used = new Set(
  filesBelow(source, '.tsx')
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) =>
      [...read(path.join(source, file)).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
        (match) => match[1]!.split(',').map((name) => name.trim().replace(/ as .*/, '')),
      ),
    ),
);

test('no component is used without its sheet', () => {
  const needed = [...used].flatMap((name) =>
    sheetsBehind(path.join(mantine, `esm/components/${name}/${name}.mjs`)),
  );
  const missing = [...new Set(needed)].filter((name) => !sheets.includes(name));
  expect(missing).toEqual([]);
});

test('every variable that a sheet reads is defined', () => {
  const defined = new Set(
    [...read(path.join(import.meta.dirname, 'mantine-variables.css')).matchAll(/(--mantine-[\w-]+):/g)].map(
      (m) => m[1]!,
    ),
  );
  const missing = sheets.flatMap((name) =>
    [...read(path.join(mantine, `styles/${name}.layer.css`)).matchAll(/var\((--mantine-[\w-]+)\)/g)]
      .map((match) => match[1]!)
      .filter((variable) => !defined.has(variable))
      .map((variable) => `${name} ${variable}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('nothing that writes a style element is used', () => {
  const writers = ['AppShell', 'Grid', 'SimpleGrid', 'ColorSchemeScript'];
  expect(writers.filter((name) => used.has(name))).toEqual([]);
});
