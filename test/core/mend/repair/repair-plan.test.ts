// Repairs of versions that many workers made: what their parts have stored lies in other folders, and files that are cut over several parts in
// a segment of the plan's own.
import { linkSync, readdirSync, rmSync, utimesSync, writeFileSync, appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectWhole } from '../../archive/resume/interrupted.js';
import {
  committed,
  listedBy,
  planned,
  planSite,
  worked,
  workedAll,
  type PlanSite,
} from '../../archive/parts/plan-runs.js';
import { content } from '../../archive/parts/large-file.js';
import { repair, uploaded } from './repair-cases.js';

const KIB64 = 64 * 1024;
const SMALL = { layout: { chunkBytes: KIB64, shardCount: 4 } };

/** A plan of small files and a large one, all parts of which are done. */
async function donePlan(between: (big: string) => void = () => undefined) {
  const site = await planSite();
  mkdirSync(join(site.source, 'a'));
  for (let n = 0; n < 4; n++) writeFileSync(join(site.source, 'a', `${n}`), `${n}`.repeat(500));
  const big = join(site.source, 'big');
  writeFileSync(big, content(9 * KIB64));
  writeFileSync(join(site.source, 'c'), 'last');
  utimesSync(big, 1_600_000_000, 1_600_000_000);
  const { uploadId, parts } = await planned(site, { bytes: 4 * KIB64 }, SMALL);
  await worked(site, uploadId, 0);
  await worked(site, uploadId, 1);
  between(big);
  const done = await workedAll(site, { uploadId, parts } as never);
  await committed(site, uploadId);
  expect(parts.filter(({ shares }) => shares !== undefined).length).toBeGreaterThan(2);
  return { site, uploadId, folders: done.map(({ attempt }) => attempt) };
}

const folderOf = ({ base }: PlanSite, uploadId: string, ...names: string[]): string =>
  join(base, 'uploads', uploadId, ...names);

const loseManifest = (site: PlanSite, uploadId: string): void => {
  for (const name of readdirSync(folderOf(site, uploadId)))
    if (name.startsWith('manifest.json.gz')) rmSync(folderOf(site, uploadId, name));
};

describe('a version that many workers made', () => {
  test.each(['with its segments', 'without any'])('has a lost manifest again, %s, entry by entry', async (how) => {
    const { site, uploadId, folders } = await donePlan();
    const before = await listedBy(site.base, uploadId);
    loseManifest(site, uploadId);
    if (how === 'without any')
      for (const folder of [uploadId, ...folders])
        rmSync(folderOf(site, folder, 'manifest'), { recursive: true, force: true });

    const repaired = await repair(site.base, uploadId);

    expect(repaired).toMatchObject({ status: 'repaired', isProven: true, lost: [] });
    expect(await listedBy(site.base, uploadId)).toEqual(before);
    await expectWhole(site as never, uploadId);
  });

  test('has the lost segment of a cut file, and that of a part, byte for byte again', async () => {
    const { site, uploadId, folders } = await donePlan();
    const lost = [folderOf(site, uploadId, 'manifest'), folderOf(site, folders.at(-1) ?? '', 'manifest')];
    const before = lost.map((folder) => readdirSync(folder));
    for (const folder of lost) for (const name of readdirSync(folder)) rmSync(join(folder, name));

    const repaired = await repair(site.base, uploadId);

    expect(repaired).toMatchObject({ status: 'repaired', isProven: true, lost: [] });
    expect(readdirSync(lost[0] ?? '')).toEqual(before[0]);
    await expectWhole(site as never, uploadId);
  });

  test('is not said to have lost a file that was left out', async () => {
    const { site, uploadId } = await donePlan((big) => appendFileSync(big, 'more'));
    const before = await listedBy(site.base, uploadId);
    loseManifest(site, uploadId);

    const repaired = await repair(site.base, uploadId);

    expect(repaired).toMatchObject({ status: 'repaired', isProven: true, lost: [] });
    expect(await listedBy(site.base, uploadId)).toEqual(before);
    expect(before).toHaveLength(6);
  });

  test('is read from its chunks below a delta that is lost with it', async () => {
    const { site, uploadId } = await donePlan();
    writeFileSync(join(site.source, 'c'), 'changed');
    const delta = await uploaded(site.source, site.base, { datasetId: 'd', changes: { trackDeletes: false } });
    const before = await listedBy(site.base, delta);
    for (const id of [uploadId, delta]) loseManifest(site, id);

    const repaired = await repair(site.base, delta);

    expect(repaired).toMatchObject({ status: 'repaired', lost: [] });
    expect(await listedBy(site.base, delta)).toEqual(before);
  });

  test('keeps names of one file in several parts together', async () => {
    const site = await planSite();
    for (const name of ['a', 'm', 'z']) writeFileSync(join(site.source, name), content(3 * KIB64, name.charCodeAt(0)));
    linkSync(join(site.source, 'a'), join(site.source, 'y'));
    const { uploadId, parts } = await planned(site, { count: 3 }, SMALL);
    await workedAll(site, { uploadId, parts } as never);
    await committed(site, uploadId);
    const before = await listedBy(site.base, uploadId);
    loseManifest(site, uploadId);

    const repaired = await repair(site.base, uploadId);

    expect(parts.length).toBeGreaterThan(1);
    expect(repaired).toMatchObject({ status: 'repaired', lost: [] });
    expect(await listedBy(site.base, uploadId)).toEqual(before);
  });
});
