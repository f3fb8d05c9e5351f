// Bundles src/ into dist/: the program and the face of the engine, in chunks that load on first use and that both share, the types
// of the face, and each worker thread as one file, because a thread shares nothing with the others and starts sooner. The packages of package.json's `dependencies` stay in node_modules;
// the AWS SDKs, whose hundreds of small files cost more to find than to run, what draws (Ink, React: bundle-ink.mjs) and
// meow (lean-meow.mjs) are in the bundle, so they are devDependencies and not shipped a second time.
import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { external } from './external.mjs';
import { inkBundle } from './bundle-ink.mjs';
import { chunkGroups } from './chunk-groups.mjs';
import { engineTypes } from './engine-types.mjs';
import { lateWidthsPlugin } from './late-widths.mjs';
import { leanImports } from './lean-imports.mjs';
import { leanMeow } from './lean-meow.mjs';
import { bundledFolders, noticesText } from './third-party-notices.mjs';

// Tests need none, and it takes as long as the rest.
const withTypes = !process.argv.includes('--no-types');
const workers = {
  'scan-worker': 'src/core/archive/scan/scan-worker.ts',
  'pack-worker': 'src/core/archive/pack/pack-worker.ts',
  'dedup-worker': 'src/core/archive/dedup/dedup-worker.ts',
  'unpack-worker': 'src/core/restore/unpack/unpack-worker.ts',
  'benchmark-worker': 'src/core/diagnostics/benchmark/benchmark-worker.ts',
};

// Built beside and swapped, so that whoever runs dist/ meanwhile finds the old one or the new one.
const next = `dist-next-${process.pid}`;
const last = `dist-last-${process.pid}`;
const common = {
  outdir: next,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  external,
  // The SDKs parse the names of browsers with it, which is never called here.
  alias: { bowser: './scripts/empty-module.mjs' },
  minifySyntax: true,
  // White space is a third of the SDKs. Names stay: the SDKs compare names of classes, and stack traces are read.
  minifyWhitespace: true,
  lineLimit: 500,
  legalComments: 'none', // THIRD-PARTY-NOTICES.txt has all of them
  metafile: true,
  logLevel: 'warning',
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
};
// The types of files by their names, 76 KB: mails have no attachments (email.ts), and one that had would fail here.
const noAttachments = {
  name: 'no-attachments',
  setup({ onLoad }) {
    const none = (name) => `export function ${name}() { throw new Error('the bundle has no types of attachments'); }`;
    const contents = ['detectMimeType', 'detectExtension'].map(none).join('\n');
    onLoad({ filter: /[\\/]mime-funcs[\\/]mime-types\.js$/ }, () => ({ contents, loader: 'js' }));
  },
};
const program = { ...inkBundle, ...common };
const { plugin } = await chunkGroups('src/main.ts', program);
const [bundle, ofWorkers] = await Promise.all([
  build({
    ...program,
    plugins: [...program.plugins, noAttachments, lateWidthsPlugin, leanMeow, plugin],
    entryPoints: { cli: 'src/cli.ts', engine: 'src/engine/index.ts' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  build({ ...common, entryPoints: workers }),
  ...(withTypes ? [engineTypes(`${next}/types`)] : []),
]);
await leanImports(bundle.metafile);
const folders = bundledFolders([bundle.metafile, ofWorkers.metafile]);
await writeFile(`${next}/THIRD-PARTY-NOTICES.txt`, noticesText(folders));
await addLauncher(`${next}/cli.js`);
// What `archiver --help` says without loading any command (src/cli.ts), as the commands say it.
const help = await promisify(execFile)(process.execPath, [`${next}/cli.js`, '--help'], { env: {} });
await writeFile(`${next}/help.txt`, help.stdout);
await rename('dist', last).catch((error) => {
  if (error.code !== 'ENOENT') throw error;
});
await rename(next, 'dist');
await rm(last, { recursive: true, force: true });

// Node opens /dev/null where stdout is closed (`archiver list >&-`), and what is printed would be lost with exit status
// 0. So a line of shell comes first that Node takes for a comment: it puts something there that cannot be written to.
async function addLauncher(path) {
  const text = await readFile(path, 'utf8');
  const hashbang = '#!/usr/bin/env node\n';
  if (!text.startsWith(hashbang)) throw new Error(`${path} does not start with ${hashbang}`);
  const launcher = `#!/bin/sh\n':' //; { true 3>&1; } 2>/dev/null || exec 1</dev/null; exec node "$0" "$@"\n`;
  await writeFile(path, launcher + text.slice(hashbang.length));
}
