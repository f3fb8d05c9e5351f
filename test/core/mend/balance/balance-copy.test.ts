// The copy of a delta (docs/format.md) while its upload is balanced and the dataset is pruned.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, makeDataset, writeObjects } from '../../../support/make-dataset.js';
import { pruneFolder } from '../../dataset/prune/prune-run.js';
import { balanceFolder, filesOf, folderWith, madeFor, SIZES, verifyFolder } from './balance-run.js';

test('a balanced delta has a copy as before: of what it is now', async () => {
  const made = makeDataset([
    { files: filesOf([100, 100], 'old') },
    { files: filesOf(SIZES), deleted: ['old0'], bend: madeFor(4) },
  ]);
  const folder = await folderWith(made);
  const short = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const delta = made.objects.get(linkKey(1)) ?? Buffer.alloc(0);
  await writeObjects(folder, new Map([[`${linkKey(1)}.copy-${short(delta)}`, delta]]));
  const before = await allContent(fileStore(folder));
  const beside = async (): Promise<string[]> =>
    (await allKeys(fileStore(folder))).filter((key) => key.startsWith(`${linkKey(1)}.`));

  const { moves } = await balanceFolder(folder, { uploadId: linkId(1) });
  const balanced = await beside();
  await pruneFolder(folder);

  const current = await readFile(join(folder, linkKey(1)));
  const copy = `${linkKey(1)}.balance-${short(current)}`;
  expect([moves.length > 0, current.equals(delta)]).toEqual([true, false]);
  expect(balanced).toEqual(expect.arrayContaining([`${linkKey(1)}.copy-${short(delta)}`, copy]));
  expect(await beside()).toEqual([copy]);
  expect((await readFile(join(folder, copy))).equals(current)).toBe(true);
  expect(await allContent(fileStore(folder))).toEqual(before);
  expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true, warnings: [] });
});
