// What it takes to bundle Ink: its caches get an upper limit, its developer tools are left out, and React's production build
// is chosen here once (its development build records every render and never drops the records: 5 KB a frame).
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { boundedInkCaches } from './bounded-ink-caches.mjs';
import { yogaAtOnce } from './yoga-at-once.mjs';

// Ink loads its developer tools, and reads package.json for them, only where DEV=true is set. They are not installed, so that is cut off: a
// script (as-scripts.mjs) cannot wait for it.
const noDevtools = {
  name: 'no-devtools',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]ink[\\/]build[\\/]reconciler\.js$/ }, async ({ path }) => {
      const waits = /\bawait (?=import\('\.\/devtools\.js'\)|loadPackageJson\(\))/g;
      const text = await readFile(path, 'utf8');
      const left = text.replaceAll(waits, '').replace("import('./devtools.js');", '');
      if (text.match(waits)?.length !== 2)
        throw new Error(`${path} waits otherwise than scripts/bundle-ink.mjs expects`);
      return { contents: left, resolveDir: dirname(path) };
    });
  },
};

/** Options of esbuild for everything that draws. */
export const inkBundle = {
  jsx: 'automatic',
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [noDevtools, boundedInkCaches(), yogaAtOnce],
};
