// Bundles src/ into dist/: the program and the face of the engine, in chunks that load on first use and that both share, the types
// of the face, and each worker thread as one file, because a thread shares nothing with the others and starts sooner. All are scripts, not
// modules (as-scripts.mjs), and dist/cli.js and dist/thread.js run them. The packages of package.json's `dependencies` stay in node_modules;
// the AWS SDKs, whose hundreds of small files cost more to find than to run, what draws (Ink, React: bundle-ink.mjs) and
// meow (lean-meow.mjs) are in the bundle, so they are devDependencies and not shipped a second time.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { asScripts, scripts, withFileUrl } from './as-scripts.mjs';
import { external } from './external.mjs';
import { inkBundle } from './bundle-ink.mjs';
import { chunkGroups } from './chunk-groups.mjs';
import { engineTypes } from './engine-types.mjs';
import { lateWidthsPlugin } from './late-widths.mjs';
import { leanMeow } from './lean-meow.mjs';
import { leanSchemas } from './lean-schemas.mjs';
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
  ...scripts,
  outdir: next,
  bundle: true,
  mainFields: ['module', 'main'],
  external,
  // The SDKs parse the names of browsers with it, which is never called here.
  alias: { bowser: './scripts/empty-module.mjs' },
  minifySyntax: true,
  // White space is a third of the SDKs. Names stay: the SDKs compare names of classes, and stack traces are read.
  minifyWhitespace: true,
  legalComments: 'none', // THIRD-PARTY-NOTICES.txt has all of them
  metafile: true,
  logLevel: 'warning',
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
// Only modules can be split.
const program = { ...common, ...inkBundle, format: 'esm' };
const { plugin } = await chunkGroups('src/main.ts', program);
const [bundle, ofWorkers] = await Promise.all([
  build({
    ...program,
    plugins: [...program.plugins, noAttachments, lateWidthsPlugin, leanMeow, leanSchemas, plugin],
    entryPoints: { main: 'src/main.ts', engine: 'src/engine/index.ts' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  build({ ...common, entryPoints: workers, supported: { 'dynamic-import': false } }),
  ...(withTypes ? [engineTypes(`${next}/types`)] : []),
]);
await asScripts(bundle.metafile);
await Promise.all(Object.keys(workers).map(addFileUrl));
const entries = { cli: 'src/cli.ts', thread: 'src/thread.ts' };
await build({ ...common, entryPoints: entries, define: { BUILD_DIGEST: JSON.stringify(await digestOfAll()) } });
// What lies in here are scripts, the types are those of modules.
await writeFile(`${next}/package.json`, '{"type":"commonjs"}\n');
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

async function addFileUrl(name) {
  const path = `${next}/${name}.js`;
  await writeFile(path, withFileUrl(await readFile(path, 'utf8')));
}

/** A digest of all scripts. */
async function digestOfAll() {
  const hash = createHash('sha256');
  const names = (await readdir(next, { recursive: true })).filter((name) => name.endsWith('.js')).toSorted();
  for (const name of names) hash.update(name).update(await readFile(`${next}/${name}`));
  return hash.digest('hex').slice(0, 16);
}

// Node opens /dev/null where stdout is closed (`archiver list >&-`), and what is printed would be lost with exit status
// 0. So a line of shell comes first that Node takes for a comment: it puts something there that cannot be written to.
async function addLauncher(path) {
  const text = await readFile(path, 'utf8');
  const hashbang = '#!/usr/bin/env node\n';
  if (!text.startsWith(hashbang)) throw new Error(`${path} does not start with ${hashbang}`);
  const launcher = `#!/bin/sh\n':' //; { true 3>&1; } 2>/dev/null || exec 1</dev/null; exec node "$0" "$@"\n`;
  await writeFile(path, launcher + text.slice(hashbang.length));
}
