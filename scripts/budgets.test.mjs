import { expect, test } from 'vitest';
import { filesOf } from './budgets.mjs';

const manifest = {
  'index.html': {
    file: 'assets/main.js',
    isEntry: true,
    imports: ['_react.js'],
    dynamicImports: ['src/A.tsx'],
  },
  '_react.js': { file: 'assets/react.js', css: ['assets/react.css'] },
  'src/A.tsx': { file: 'assets/a.js', imports: ['_react.js', '_list.js'], css: ['assets/a.css'] },
  '_list.js': { file: 'assets/list.js', imports: ['src/A.tsx'] },
  'src/B.tsx': { file: 'assets/b.js' },
};
const html = '<script src="/theme.js"></script><script type="module" src="./assets/main.js"></script>';
const always = () => true;

test('a page needs the entry, its own chunk, their static imports and styles, each once', () => {
  expect(filesOf(['src/A.tsx'], manifest, html, always).sort()).toEqual(
    [
      'assets/a.css',
      'assets/a.js',
      'assets/list.js',
      'assets/main.js',
      'assets/react.css',
      'assets/react.js',
      'index.html',
      'theme.js',
    ].sort(),
  );
});

test('a page without its own chunk is part of the entry', () => {
  expect(filesOf(['src/Inside.tsx'], manifest, html, always)).not.toContain('assets/a.js');
});

test('a page whose source is gone is not measured as nothing', () => {
  expect(() => filesOf(['src/Gone.tsx'], manifest, html, () => false)).toThrow('src/Gone.tsx is gone');
});
