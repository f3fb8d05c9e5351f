import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compiled-code.js';
import { tempFolder } from '../support/temp-folder.js';

/** The folders that Node is told to keep compiled code in. */
function keptIn(env: NodeJS.ProcessEnv): readonly string[] {
  const folders: string[] = [];
  keepCompiledCode(env, { enableCompileCache: (folder) => folders.push(folder) });
  return folders;
}

test('compiled code is kept in a folder of archiver that nobody else can write to', async () => {
  const HOME = await tempFolder();
  const own = join(HOME, '.archiver');
  expect(keptIn({ HOME })).toEqual([]); // a first call leaves nothing
  mkdirSync(own, { mode: 0o700 });

  expect(keptIn({ HOME })).toEqual([join(own, 'compiled-code')]);
  expect(keptIn({ HOME: '/nowhere', ARCHIVER_HOME: own })).toHaveLength(1);
  expect([keptIn({ HOME, NODE_COMPILE_CACHE: '/elsewhere' }), keptIn({})]).toEqual([[], []]);
  for (const folder of [join(own, 'compiled-code'), own]) {
    chmodSync(folder, 0o770);
    expect(keptIn({ HOME })).toEqual([]);
    chmodSync(folder, 0o700);
  }
});

test('a link is followed to no folder of somebody else', async () => {
  const HOME = await tempFolder();
  mkdirSync(join(HOME, '.archiver'), { mode: 0o700 });
  symlinkSync('/tmp', join(HOME, '.archiver/compiled-code'));

  expect(keptIn({ HOME })).toEqual([]);
});
