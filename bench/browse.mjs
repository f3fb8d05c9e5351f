// `node bench/browse.mjs [what columns rows files]`: CPU time a key in the browser over a million files.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { inkBundle } from '../scripts/bundle-ink.mjs';

// Beside node_modules, for what is not bundled.
const outfile = `dist-bench-${process.pid}.mjs`;
const RUNS = ['cursor', 'scroll', 'tree', 'search', 'mark', 'sort'].map((what) => [what, '120', '40']);
const wanted = process.argv.slice(2);
await build({
  ...inkBundle,
  entryPoints: ['bench/browse-frames.tsx'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['koffi', 'zstd-napi', 'zstd-napi/*', 'yaml', 'ignore', 'picomatch'],
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
});
try {
  for (const args of wanted.length > 0 ? [wanted] : RUNS)
    spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit' });
} finally {
  rmSync(outfile);
}
