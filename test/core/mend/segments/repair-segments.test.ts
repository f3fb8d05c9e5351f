import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { smallSegments } from '../../../support/small-segments.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { verifyMadeStore } from '../../../support/verify-made.js';
import { everyVersion, filledCache } from '../repair/chain-cases.js';
import { flipBit, loseCopies, manifestPath, repair, uploaded } from '../repair/repair-cases.js';
import { hasLosses } from '../../../../src/core/mend/repair/repair-result.js';
import { contentOf, headOf, segmentPath, threeVersions } from './segment-cases.js';

beforeAll(smallSegments());

let source = '';
let base = '';
let ids: string[] = [];
let before: Map<number, unknown> = new Map();

async function make(options: object = {}): Promise<void> {
  const home = await tempFolder();
  source = join(home, 'source');
  base = join(home, 'store');
  ids = await threeVersions(source, base, options);
  before = await everyVersion(base);
}

const id = (version: number): string => ids[version - 1] ?? '';
const failed = (views: ReadonlyMap<number, unknown>): number[] =>
  [...views].flatMap(([version, view]) => (JSON.stringify(view).includes('"failed"') ? [version] : []));

const DAMAGE: [string, (path: string) => void][] = [
  ['lost', (path) => rmSync(path)],
  ['damaged', (path) => flipBit(path, 200)],
];

/** Position in the third version of a segment of the first one, the second, the third. */
const SHARED = 0;
const OF_SECOND = 3;
const OF_THIRD = 7;

describe.each(DAMAGE)('a segment that is %s', (_name, damage) => {
  beforeEach(async () => await make());

  test.each([SHARED, OF_SECOND, OF_THIRD])('comes back byte for byte from the cache (%i)', async (at) => {
    const cache = await filledCache(base);
    const path = segmentPath(base, id(3), at);
    const bytes = readFileSync(path);
    damage(path);

    const planned = await repair(base, id(3), { cache, execute: false });
    const isUntouched = failed(await everyVersion(base)).length > 0;
    const result = await repair(base, id(3), { cache });

    expect([planned.status, isUntouched, result.status, hasLosses(result)]).toEqual([
      'repairable',
      true,
      'repaired',
      false,
    ]);
    const key = path.slice(base.length + 1);
    expect([result.segmentKeys, planned.segmentKeys]).toEqual([[key], [key]]);
    expect(result.parts).toMatchObject([{ from: 'cache' }]);
    expect(readFileSync(path)).toEqual(bytes);
    expect(await everyVersion(base)).toEqual(before);
  });

  test('comes back from another object with its bytes', async () => {
    const path = segmentPath(base, id(3), SHARED);
    const bytes = readFileSync(path);
    writeFileSync(path.replace('000001-', '000077-'), bytes);
    damage(path);

    const result = await repair(base, id(3));

    expect([result.status, result.parts]).toMatchObject(['repaired', [{ from: 'copy' }]]);
    expect(await everyVersion(base)).toEqual(before);
  });

  test('comes back byte for byte from the chunks where these tell all of it', async () => {
    const path = segmentPath(base, id(3), SHARED);
    const bytes = readFileSync(path);
    damage(path);

    const result = await repair(base, id(3));

    expect([result.status, result.parts, hasLosses(result)]).toMatchObject(['repaired', [{ from: 'chunks' }], false]);
    expect(readFileSync(path)).toEqual(bytes);
    expect(await everyVersion(base)).toEqual(before);
  });
});

describe('a lost head', () => {
  beforeEach(async () => await make());

  test.each(DAMAGE)('that is %s comes back from its copy', async (_name, damage) => {
    const bytes = readFileSync(manifestPath(base, id(3)));
    damage(manifestPath(base, id(3)));

    const result = await repair(base, id(3));

    expect([result.status, result.parts]).toMatchObject(['repaired', [{ from: 'copy' }]]);
    expect(readFileSync(manifestPath(base, id(3)))).toEqual(bytes);
    expect(await everyVersion(base)).toEqual(before);
  });

  test('comes back together with a segment', async () => {
    const cache = await filledCache(base);
    rmSync(segmentPath(base, id(3), OF_SECOND));
    rmSync(manifestPath(base, id(3)));

    const result = await repair(base, id(3), { cache });

    expect([result.status, hasLosses(result), result.segmentKeys.length]).toEqual(['repaired', false, 1]);
    expect(await everyVersion(base)).toEqual(before);
  });
});

describe.each([1, 2, 3])('a head of which there is no copy (version %i)', (version) => {
  test('is made again from its segments, which the record proves', async () => {
    await make();
    const segments = headOf(base, id(version)).segments;
    loseCopies(base);
    rmSync(manifestPath(base, id(version)));

    const result = await repair(base, id(version));

    expect([result.status, result.lost, hasLosses(result)]).toEqual(['repaired', [], false]);
    expect(headOf(base, id(version)).segments).toEqual(segments);
    expect(await everyVersion(base)).toEqual(before);
    expect(result.unknown.join()).toContain('mode, time and owner of the source folder itself');
  });
});

test('a sound version is left alone', async () => {
  await make();

  expect((await repair(base, id(2))).status).toBe('sound');
});

/** Modes are in no table of contents once they are changed alone: the segment cannot be made again as it was. */
describe('a segment that nothing holds as it was', () => {
  const LOST = 3;
  let path = '';

  beforeEach(async () => {
    await make();
    chmodSync(join(source, 'b/f4'), 0o600);
    ids.push(await uploaded(source, base, { changes: { trackDeletes: true } }));
    writeFileSync(join(source, 'a/f0'), contentOf('new a0'));
    ids.push(await uploaded(source, base, { changes: { trackDeletes: true } }));
    before = await everyVersion(base);
    path = segmentPath(base, id(5), LOST);
    rmSync(path);
  });

  test.each([4, 5])('is rebuilt for all versions that name it, whichever is repaired (%i)', async (version) => {
    expect(failed(await everyVersion(base))).toEqual([4, 5]);
    const segments = headOf(base, id(version)).segments;

    const planned = await repair(base, id(version), { execute: false });
    const result = await repair(base, id(version));

    expect([planned.status, result.status, hasLosses(result)]).toEqual(['repairable', 'repaired', true]);
    expect(result.rebased.map(({ uploadId }) => uploadId)).toEqual([id(9 - version)]);
    expect(planned.rebased.map(({ uploadId }) => uploadId)).toEqual([id(9 - version)]);
    const after = await everyVersion(base);
    expect(failed(after)).toEqual([]);
    expect([1, 2, 3].map((one) => after.get(one))).toEqual([1, 2, 3].map((one) => before.get(one)));
    const { 'b/f4': changed, ...others } = after.get(5) as Record<string, object>;
    const { 'b/f4': was, ...same } = before.get(5) as Record<string, object>;
    expect(others).toEqual(same);
    expect(changed).not.toEqual(was);
    expect(await verifyMadeStore(fileStore(base))).toMatchObject({ ok: true });
    // Segments that were whole are named again.
    const now = headOf(base, id(version)).segments;
    expect(now.filter(({ sha256 }) => segments.some((one) => one.sha256 === sha256))).toHaveLength(segments.length - 1);
  });

  test('is named by no version after a sync', async () => {
    await repair(base, id(5));
    writeFileSync(join(source, 'c/f0'), contentOf('new c0'));
    const next = await uploaded(source, base, { changes: { trackDeletes: true } });

    const names = [1, 2, 3, 4, 5]
      .map(id)
      .concat(next)
      .flatMap((one) => headOf(base, one).segments.map(({ sha256 }) => sha256));

    expect(names.filter((sha256) => path.includes(`-${sha256.slice(0, 8)}.`))).toEqual([]);
    expect(await verifyMadeStore(fileStore(base))).toMatchObject({ ok: true });
    expect((await repair(base, next)).status).toBe('sound');
  });

  test('costs only its own entries where their chunks are lost, too, and they are named', async () => {
    rmSync(join(base, 'uploads', id(2)), { recursive: true });
    rmSync(join(base, 'uploads', id(1), 'shard-00'), { recursive: true });
    rmSync(segmentPath(base, id(1), LOST));

    const result = await repair(base, id(5));

    expect([result.status, hasLosses(result)]).toEqual(['repaired', true]);
    expect(result.lost.map(({ reason }) => reason).join()).toContain('36 entries');
    expect(result.rebuilt?.entries).toBeLessThan(36);
    expect(result.rebuilt?.entries).toBeGreaterThanOrEqual(28);
  });
});
