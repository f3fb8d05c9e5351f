// Folders are made while the first chunks are on their way, and before anything is written.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SystemError } from '../../../../src/core/platform/libc/libc.js';
import { LibcTree } from '../../../../src/core/restore/output-tree/libc-tree.js';
import { makeArchive } from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { restoreMade } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';

const ENOSPC = 28;
const archive = (path = 'deep/file') =>
  makeArchive({
    files: [
      { path: 'deep', type: 'directory' },
      { path, content: 'content' },
      { path: `${path}2`, content: 'content', chunk: 1 },
    ],
  });

test('the first chunks are asked for before the folders are made, and unpacked after', async () => {
  const out = await tempFolder();
  const made = archive();
  const isThere = (): boolean => existsSync(join(out, 'deep'));
  const whenAsked: boolean[] = [];
  const whenBegun: boolean[] = [];
  const reader = memoryReader(made.objects, {
    get: (key, _options, normal) => {
      if (!key.endsWith('manifest.json.gz')) whenAsked.push(isThere());
      return normal();
    },
  });

  const { failed } = await restoreMade(made, {
    reader,
    outputDir: out,
    emit: (event) => {
      if (event.type === 'chunk' && event.state === 'started') whenBegun.push(isThere());
    },
  });

  expect([whenAsked, whenBegun]).toEqual([
    [false, false],
    [true, true],
  ]);
  expect([failed, readdirSync(join(out, 'deep'))]).toEqual([[], ['file', 'file2']]);
});

test.each(['deep/file', 'file'])('nothing is written when they cannot be made: %s', async (path) => {
  const making = vi.spyOn(LibcTree.prototype, 'makeFolder').mockImplementation(() => {
    throw new SystemError(ENOSPC, 'mkdirat');
  });
  onTestFinished(() => making.mockRestore());
  const out = await tempFolder();

  await expect(restoreMade(archive(path), { outputDir: out })).rejects.toMatchObject({ code: 'no-space' });

  expect(readdirSync(out)).toEqual([]);
});
