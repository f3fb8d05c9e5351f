// What the program loads before it knows its command, in one file. esbuild makes a chunk of the modules that the same entries
// reach (an `import()` is an entry), so modules that some commands share and others do not would come in dozens of small
// files: slower to open than to run, and more at once than a low `ulimit -n` allows. So each module that is loaded on first
// use is given the imports of all that runs before it. Nothing more is loaded by that; esbuild sees one set.
import { readFile } from 'node:fs/promises';
import { extname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** The modules that `entry` imports, directly or not, and those of src/ that are loaded on first use. */
async function modulesOf(entry, options) {
  const { metafile } = await build({
    ...options,
    packages: 'external',
    entryPoints: [entry],
    metafile: true,
    write: false,
  });
  const eager = new Set();
  const follow = (path) => {
    if (eager.has(path)) return;
    eager.add(path);
    for (const { path: next, kind, external } of metafile.inputs[path].imports)
      if (kind === 'import-statement' && !external) follow(next);
  };
  follow(entry);
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const late = imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path);
  return { eager, late: new Set(late.filter((path) => !eager.has(path))) };
}

/** A plugin of esbuild; `options` are those of the build that it is for. */
export async function oneEagerChunk(entry, options) {
  const { eager, late } = await modulesOf(entry, options);
  const shared = [...eager].filter((path) => path !== entry && path.startsWith('src/'));
  const imports = shared.map((path) => `import ${JSON.stringify(resolve(path))};`).join('');
  return {
    name: 'one-eager-chunk',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, async ({ path }) => {
        if (!late.has(relative('.', path))) return undefined;
        return { contents: imports + (await readFile(path, 'utf8')), loader: extname(path).slice(1) };
      });
    },
  };
}
