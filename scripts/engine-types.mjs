// The declarations of the engine's face, which other programs compile against: those that `src/engine/index.ts` names, directly or
// not, and no others. Its types are its own, so that these are a few small files; more than a few would be an inner type that
// got out, and fails here.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const MAX_BYTES = 64 * 1024;

/** Writes them below `folder`, as they lie below src. */
export async function engineTypes(folder) {
  const made = await mkdtemp(join(tmpdir(), 'archiver-types-'));
  try {
    await declare(made);
    const root = join(made, 'out', 'src');
    let bytes = 0;
    for (const [path, text] of await namedBy(join(root, 'engine/index.d.ts'))) {
      bytes += Buffer.byteLength(text);
      await cp(path, join(folder, relative(root, path)));
    }
    if (bytes > MAX_BYTES) throw new Error(`the declarations of the engine have ${bytes} bytes: an inner type got out`);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** All that the entry imports, which is too much. */
async function declare(made) {
  const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: resolve('.') };
  const config = {
    extends: resolve('tsconfig.json'),
    compilerOptions: { ...emitting, outDir: join(made, 'out'), typeRoots: [resolve('node_modules/@types')] },
    files: [resolve('src/engine/index.ts')],
    include: [],
  };
  await writeFile(join(made, 'tsconfig.json'), JSON.stringify(config));
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', made]);
}

/** The texts of a declaration and of those that it imports, by their paths. */
async function namedBy(entry) {
  const found = new Map([[entry, '']]);
  // A map is walked on over what is added to it meanwhile.
  for (const path of found.keys()) {
    const text = await readFile(path, 'utf8');
    found.set(path, text);
    for (const [, name] of text.matchAll(/(?:from |import\()['"](\.[^'"]*)\.js['"]/g)) {
      const next = join(dirname(path), `${name}.d.ts`);
      if (!found.has(next)) found.set(next, '');
    }
  }
  return found;
}
