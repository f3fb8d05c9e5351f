import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../support/temp-folder.js';
import { noise } from '../../archive/trees.js';
import { pruneFolder } from '../../dataset/prune/prune-run.js';
import { everyVersion, recordsOf, resumedUnderNewId } from './chain-cases.js';
import { documentOf, loseManifest, repair, uploaded } from './repair-cases.js';

let home = '';
let source = '';
let base = '';
const changes = { trackDeletes: true };

beforeEach(async () => {
  home = await tempFolder();
  source = join(home, 'source');
  base = join(home, 'store');
  mkdirSync(join(source, 'sub'), { recursive: true });
});

const write = (name: string, bytes = 3000): void => writeFileSync(join(source, name), noise(bytes));

/** A full listing of 40 files and three deltas on it; the second deletes and changes modes as well. Gives the ids. */
async function fourVersions(): Promise<string[]> {
  for (let i = 0; i < 40; i++) write(`file-${String(i).padStart(2, '0')}`);
  const ids = [await uploaded(source, base)];
  write('two');
  write('file-02');
  rmSync(join(source, 'file-01'));
  chmodSync(join(source, 'file-03'), 0o600);
  ids.push(await uploaded(source, base, { changes }));
  write('three');
  ids.push(await uploaded(source, base, { changes }));
  write('sub/four');
  ids.push(await uploaded(source, base, { changes }));
  expect(ids.map((id) => documentOf(base, id)['listing'])).toEqual(['full', 'delta', 'delta', 'delta']);
  return ids;
}

describe('a delta in the middle of a chain', () => {
  test('that is rebuilt with another view leaves later versions and syncs readable', async () => {
    const [, second = ''] = await fourVersions();
    loseManifest(base, second);

    await repair(base, second);

    const after = await everyVersion(base);
    expect([...after.values()].filter((content) => JSON.stringify(content).includes('failed'))).toEqual([]);
    write('five');
    await uploaded(source, base, { changes });
    expect((await everyVersion(base)).size).toBe(5);
  });

  test('that is sound keeps its view, also with --force', async () => {
    const [, second = ''] = await fourVersions();
    const before = await everyVersion(base);

    await repair(base, second, { force: true }).catch(() => undefined);

    expect(await everyVersion(base)).toEqual(before);
  });
});

describe('a version that prune compacted', () => {
  const pruned = async (): Promise<void> => {
    const { datasetId = '' } = (await recordsOf(base))[0] ?? {};
    await pruneFolder(base, { datasetId, keep: { last: 1 } });
  };

  test('gets all its entries back from the folders of versions that are gone, and more where deletions are lost', async () => {
    const last = (await fourVersions()).at(-1) ?? '';
    await pruned();
    const before = (await everyVersion(base)).get(4) as object;
    loseManifest(base, last);

    const result = await repair(base, last);

    expect(result).toMatchObject({ lost: [], isProven: false });
    expect(result.unknown.join()).toContain('1 of the entries');
    const after = (await everyVersion(base)).get(4) as object;
    expect(Object.keys(after).filter((path) => path !== 'file-01')).toEqual(Object.keys(before));
  });

  test('is exactly as it was where nothing had been deleted, also beside other datasets', async () => {
    write('other');
    await uploaded(source, base, { datasetId: 'other-00000000' });
    for (let i = 0; i < 40; i++) write(`file-${String(i).padStart(2, '0')}`);
    await uploaded(source, base);
    write('two');
    const last = await uploaded(source, base, { changes });
    await pruned();
    const before = (await recordsOf(base)).map(({ totals }) => totals.entries);
    loseManifest(base, last);

    const result = await repair(base, last);

    expect(result).toMatchObject({ lost: [], rebuilt: { entries: 43 } });
    expect((await recordsOf(base)).map(({ totals }) => totals.entries)).toEqual(before);
    expect(JSON.stringify([...(await everyVersion(base)).values()])).not.toContain('failed');
  });
});

test('an upload that was resumed under a new id is rebuilt from the chunks that it left in its old folder', async () => {
  for (let i = 0; i < 40; i++) write(`file-${String(i).padStart(2, '0')}`);
  const old = await uploaded(source, base);
  const id = '20260304-060000-02000000';
  await resumedUnderNewId(base, old, id);
  const before = await everyVersion(base);
  loseManifest(base, id);

  const result = await repair(base, id);

  expect(result).toMatchObject({ status: 'repaired', lost: [] });
  expect(await everyVersion(base)).toEqual(before);
});
