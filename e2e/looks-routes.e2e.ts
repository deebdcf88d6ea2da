import fs from 'node:fs';
import { expect, test } from 'vitest';
import { features } from './looks/features.ts';

const source = fs.readFileSync(new URL('../console/src/routes.tsx', import.meta.url), 'utf8');
const pages = [...source.matchAll(/\bpage\(\s*'([^']+)'/g)].map(([, path]) => path!);
const others = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!);

/** The addresses that the views open, without what is behind `?`. */
const opened = features.flatMap(({ views }) => views.map(({ path }) => path.replace(/[?#].*/, '')));

/** Whether the address is one of this route: `$name` is any level, a `$` at the end whatever no other route has. */
function belongs(route: string, path: string): boolean {
  if (route === '/$') return ![...pages, ...others].some((other) => other !== route && belongs(other, path));
  return new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`).test(path);
}

test('every address of the console is in the sweep over the looks', () => {
  expect(pages.length).toBeGreaterThan(60);
  expect(others).toEqual(expect.arrayContaining(['/login', '/help', '/__gallery', '/$']));
  const missing = [...pages, ...others].filter((route) => !opened.some((path) => belongs(route, path)));
  expect(missing).toEqual([]);
});

test('the names of features are unique, and those of the views within each', () => {
  const doubles = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);
  expect(doubles(features.map(({ feature }) => feature))).toEqual([]);
  for (const { feature, views } of features)
    expect(doubles(views.map(({ name }) => name)), feature).toEqual([]);
});
