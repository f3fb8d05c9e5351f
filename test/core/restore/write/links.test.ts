// Symbolic links that a restore makes, over others or where nothing is.
import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LibcTree } from '../../../../src/core/restore/output-tree/libc-tree.js';
import { makeArchive } from '../../../support/make-archive.js';
import { restoreMade } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';

const MTIME = '2025-11-14T09:30:12.123456789Z';
const archive = () => makeArchive({ files: [{ path: 'link', type: 'symlink', target: 'new', mtime: MTIME }] });

test.each(['nothing', 'another link'])('a link in the place of %s has its target and its time', async (before) => {
  const out = join(await tempFolder(), 'out');
  mkdirSync(out);
  if (before !== 'nothing') symlinkSync('old', join(out, 'link'));

  const { failed } = await restoreMade(archive(), { outputDir: out });

  expect([failed, readdirSync(out)]).toEqual([[], ['link']]);
  expect(readlinkSync(join(out, 'link'))).toBe('new');
  expect(lstatSync(join(out, 'link'), { bigint: true }).mtimeNs % 1_000_000_000n).toBe(123_456_789n);
});

test('of a link that does not get its time nothing is left', async () => {
  const describing = vi.spyOn(LibcTree.prototype, 'describeLink').mockImplementation(() => {
    throw new Error('no time for it');
  });
  onTestFinished(() => describing.mockRestore());

  const { failed, out } = await restoreMade(archive());

  expect(failed).toEqual([{ path: 'link', reason: 'no time for it' }]);
  expect(readdirSync(out)).toEqual([]);
});
