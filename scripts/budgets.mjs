// What a browser must load before a page is usable, in gzip bytes, against what we allow ourselves.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { Failure, main, root } from './run.mjs';

const KB = 1024;
const budgets = [
  { name: '/login', limitBytes: 160 * KB, pages: ['src/features/login/LoginPage.tsx'] },
  {
    name: '/dashboard, signed in',
    limitBytes: 250 * KB,
    pages: ['src/shell/Shell.tsx', 'src/features/dashboard/OverviewPage.tsx'],
  },
];

/**
 * The files a page needs: what index.html names, and the static imports of its chunk with their styles.
 * A source without a chunk of its own is part of the entry, as long as the source exists.
 */
export function filesOf(pages, manifest, html, sourceExists) {
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
  if (!entry) throw new Failure('The manifest of the console has no entry.');
  const files = new Set(['index.html']);
  for (const match of html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="(?:\.?\/)?([^":]+)"/g))
    files.add(match[1]);
  const seen = new Set();
  const add = (key) => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    files.add(chunk.file);
    for (const style of chunk.css || []) files.add(style);
    for (const imported of chunk.imports || []) add(imported);
  };
  add(entry);
  for (const page of pages) {
    if (manifest[page]) add(page);
    else if (!sourceExists(page))
      throw new Failure(`${page} is gone: name the page's new source in scripts/budgets.mjs.`);
  }
  return Array.from(files);
}

/** Prints the size of each page and returns the number of pages above their budget. */
export function checkBudgets() {
  const dist = path.join(root, 'console/dist');
  const manifest = JSON.parse(fs.readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'));
  const html = fs.readFileSync(path.join(dist, 'index.html'), 'utf8');
  const gzipBytes = (file) => zlib.gzipSync(fs.readFileSync(path.join(dist, file)), { level: 9 }).length;
  const sourceExists = (file) => fs.existsSync(path.join(root, 'console', file));
  const inKb = (bytes) => `${(bytes / KB).toFixed(1)} KB`;
  let above = 0;
  for (const { name, limitBytes, pages } of budgets) {
    const sizes = filesOf(pages, manifest, html, sourceExists)
      .filter((file) => fs.existsSync(path.join(dist, file))) // index.html also names icons by data: and the like
      .map((file) => ({ file, bytes: gzipBytes(file) }))
      .sort((a, b) => b.bytes - a.bytes);
    const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
    console.log(`${name}: ${inKb(bytes)} of ${inKb(limitBytes)} gzip in ${sizes.length} files`);
    if (bytes > limitBytes) {
      above += 1;
      for (const size of sizes) console.error(`  ${inKb(size.bytes).padStart(9)}  ${size.file}`);
    }
  }
  return above;
}

main(import.meta.url, () => (checkBudgets() === 0 ? 0 : 1));
