// Bundles src/ into dist/: the entry, the worker threads, and chunks that load on first use. Packages stay in
// node_modules except the S3 SDK, whose 200 small files cost more to find than to run.
import { rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { build } from 'esbuild';

const external = [
  'ink',
  'ink/*',
  'react',
  'react/*',
  'ink-table',
  'ink-text-input',
  'koffi',
  'zstd-napi',
  'zstd-napi/*',
  'zustand',
  'zustand/*',
  'yaml',
  'meow',
  'ignore',
  'picomatch',
  'string-width',
];
const entries = {
  cli: 'src/cli.ts',
  docs: 'src/cli/docs-main.ts',
  'scan-worker': 'src/core/archive/scan-worker.ts',
  'pack-worker': 'src/core/archive/pack-worker.ts',
  'unpack-worker': 'src/core/restore/unpack-worker.ts',
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(path))),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  chunkNames: 'chunks/[name]-[hash]',
  external,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
});
