// Takes imports out of bundled files that change nothing. esbuild lets a file import each file that something in it needs, also where an
// import before it brings that already; Node looks up every one of them, which takes a twentieth of the CPU of a short command.
import { posix } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';

const BARE = /import"(\.[^"]+)";\n?/g;

/** Shortens the files of a build with this metafile. */
export async function leanImports({ outputs }) {
  const files = Object.entries(outputs).filter(([path]) => path.endsWith('.js'));
  const now = ({ kind, external }) => kind === 'import-statement' && external !== true;
  const imports = new Map(files.map(([path, { imports }]) => [path, imports.filter(now).map((one) => one.path)]));
  await Promise.all(
    files.map(async ([path]) => {
      const needless = needlessOf(path, imports);
      if (needless.size === 0) return;
      const text = await readFile(path, 'utf8');
      const isNeedless = (specifier) => needless.has(posix.join(posix.dirname(path), specifier));
      await writeFile(
        path,
        text.replaceAll(BARE, (whole, specifier) => (isNeedless(specifier) ? '' : whole)),
      );
    }),
  );
}

/** Those files that are loaded by then, because an import before theirs has brought them. `imports` are in order. */
export function needlessOf(path, imports) {
  const loaded = new Set();
  const needless = new Set();
  // What is reached through the file itself alone is not loaded before it.
  const load = (one) => {
    if (one === path || loaded.has(one)) return;
    loaded.add(one);
    for (const next of imports.get(one) ?? []) load(next);
  };
  for (const next of imports.get(path) ?? []) {
    if (loaded.has(next)) needless.add(next);
    else load(next);
  }
  return needless;
}
