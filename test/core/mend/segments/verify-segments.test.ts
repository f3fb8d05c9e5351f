import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManifestParser } from '../../../../src/core/format/manifest/manifest-parser.js';
import { verifyVersion } from '../../../../src/core/mend/verify/verify.js';
import { smallSegments } from '../../../support/small-segments.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { everything, verifyMade, verifyMadeStore } from '../../../support/verify-made.js';
import { flipBit } from '../repair/repair-cases.js';
import { headOf, rewriteHead, rewriteSegment, segmentPath, segmentsIn, threeVersions } from './segment-cases.js';

beforeAll(smallSegments());

let base = '';
let ids: string[] = [];
const [FIRST, SECOND, THIRD] = [0, 1, 2];

beforeEach(async () => {
  const home = await tempFolder();
  base = join(home, 'store');
  ids = await threeVersions(join(home, 'source'), base);
});

const verified = async (version: number, options: Parameters<typeof verifyMade>[2] = { mode: 'default' }) =>
  await verifyMade(fileStore(base), asUploadId(ids[version] ?? ''), options);

const messages = async (version: number): Promise<string[]> =>
  (await verified(version, { mode: 'quick' })).errors.map(({ message }) => message);

test('versions that share segments are sound, and nothing of them is superfluous', async () => {
  const all = await Promise.all([FIRST, SECOND, THIRD].map((version) => verified(version, { mode: 'deep' })));
  const store = await verifyMadeStore(fileStore(base));

  expect(all.map(({ ok, warnings, filesRead }) => [ok, warnings, filesRead])).toEqual([
    [true, [], 32],
    [true, [], 32],
    [true, [], 32],
  ]);
  expect([store.ok, store.filesRead]).toEqual([true, 34]);
  expect(headOf(base, ids[THIRD] ?? '').segments.filter(({ key }) => key.startsWith('../'))).toHaveLength(8);
});

describe('a listing in segments', () => {
  test('is parsed once, however much of its content is read, and a second time for a part of it', async () => {
    const count = vi.spyOn(ManifestParser.prototype, 'count');
    onTestFinished(() => count.mockRestore());
    const parsed = async (options: Parameters<typeof verifyMade>[2]): Promise<number> => {
      count.mockClear();
      const { entries } = await verified(FIRST, options);
      return count.mock.calls.reduce((sum, [lines]) => sum + lines, 0) / entries;
    };

    expect(await parsed({ mode: 'default' })).toBe(1);
    expect(await parsed({ mode: 'deep' })).toBe(1);
    expect(await parsed({ mode: 'deep', part: { number: 1, of: 2 } })).toBeGreaterThan(1);
  });

  test('that is right alone is not checked again as a link, and one with an error is', async () => {
    const rightAfter = async (): Promise<boolean> => {
      const right = new Set<string>();
      const shared = {
        listed: undefined,
        seen: new Set<string>(),
        damaged: new Set<string>(),
        datasets: new Map(),
        right,
      };
      const options = { ...everything(), reader: fileStore(base), uploadId: asUploadId(ids[FIRST] ?? '') };
      await verifyVersion({ ...options, mode: 'quick' }, { ...shared, record: undefined });
      return right.size === 1;
    };

    expect(await rightAfter()).toBe(true);
    rewriteSegment(base, ids[FIRST] ?? '', 0, (text) => text.replace(/"rawSize":\d+/, '"rawSize":7'));
    expect(await rightAfter()).toBe(false);
  });
});

test('--part reads each file in one of the parts', async () => {
  const parts = await Promise.all([1, 2].map((number) => verified(THIRD, { mode: 'deep', part: { number, of: 2 } })));

  expect(parts.map(({ ok }) => ok)).toEqual([true, true]);
  expect(parts.reduce((sum, { filesRead }) => sum + filesRead, 0)).toBe(32);
  expect(parts.every(({ filesRead }) => filesRead > 0)).toBe(true);
});

describe.each(['quick', 'default', 'deep'] as const)('%s', (mode) => {
  test.each<[string, (path: string) => void, string]>([
    ['is missing', (path) => rmSync(path), 'which is not in the store'],
    ['is damaged', (path) => flipBit(path, 200), 'its digest differs'],
    ['is cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, 300)), 'its digest differs'],
  ])('says of a segment that %s, in one sentence, and names the repair', async (_name, damage, text) => {
    const path = segmentPath(base, ids[THIRD] ?? '', 0);
    damage(path);

    const { ok, errors, hint } = await verified(THIRD, { mode });

    expect([ok, errors.length, hint]).toEqual([
      false,
      1,
      expect.stringMatching(new RegExp(`^archiver repair .*${ids[THIRD]}$`)),
    ]);
    expect(errors[0]?.message).toContain(text);
    expect(errors[0]?.message).toContain(path.slice(path.indexOf(`uploads/${ids[FIRST]}`)));
  });
});

describe('a segment that is sound by its digest', () => {
  test.each<[string, (text: string) => string, string]>([
    [
      'has other entries than counted',
      (text) => text.replace(/("type":"file","size":)\d+/, '$11'),
      'the segment announces',
    ],
    ['lists an entry twice', (text) => text.replace('"a/f2"', '"a/f1"'), 'more than once'],
    ['goes beyond the next one', (text) => text.replace('"a/f2"', '"a/f9"'), 'not in the order'],
    ['begins elsewhere', (text) => text.replace('"path":"a"', '"path":"A"'), 'does not begin with the path'],
    [
      'lists a chunk that it has no use for',
      (text) =>
        text.replace(
          /"chunks":\[\n(.*)\n/,
          (all, one: string) => `${all.trim()},\n${one.replace('chunk-000000', 'chunk-000009')}\n`,
        ),
      'which it lists',
    ],
    ['describes a chunk in another way', (text) => text.replace(/"rawSize":\d+/, '"rawSize":7'), 'in another way'],
    [
      'says that it lies elsewhere',
      (text) => text.replace(/"uploadId":"[^"]*"/, '"uploadId":"20200101-000000-00000000"'),
      'another upload',
    ],
  ])('and %s is an error', async (_name, change, text) => {
    rewriteSegment(base, ids[FIRST] ?? '', 0, change);

    expect((await messages(FIRST)).join('\n')).toContain(text);
    expect((await verified(FIRST, { mode: 'quick' })).hint).toContain('archiver repair');
  });
});

describe('a head', () => {
  test.each<[string, Parameters<typeof rewriteHead>[2], string]>([
    [
      'names another index',
      ({ segments: [one] }) => (one!.index = { size: 9, sha256: '0'.repeat(64) }),
      'another index',
    ],
    ['counts otherwise', ({ totals }) => (totals['entries']! -= 1), 'announces 35 entries'],
    ['has segments in another order', (head) => (head.segments = head.segments.toReversed()), 'not in the order'],
    ['leaves one out', ({ segments }) => segments.pop(), 'there are 3'],
  ])('that %s is an error', async (_name, change, text) => {
    rewriteHead(base, ids[FIRST] ?? '', change);

    expect((await messages(FIRST)).join('\n')).toContain(text);
  });

  test('with groups of hard links below those of its entries is an error', async () => {
    rewriteSegment(base, ids[FIRST] ?? '', 0, (text) =>
      text.replace(/"type":"file"(.*?"offset":\d+)/, '"type":"hardlink"$1,"linkGroup":9'),
    );

    expect((await messages(FIRST)).join('\n')).toContain('groups of hard links');
  });
});

test('segments of another dataset are an error', async () => {
  rewriteHead(base, ids[FIRST] ?? '', (head) => (head['datasetId'] = 'another-00000000'));

  const { errors } = await verified(SECOND);

  expect(errors.filter(({ message }) => message.includes('another-00000000'))).not.toEqual([]);
});

test('a segment in its folder that only another version names is no warning, and one that none names is', async () => {
  const [first = '', second = ''] = ids;
  rewriteHead(base, first, (head) => head.segments.splice(0, 1));
  const own = segmentsIn(base, second)[0] ?? '';
  renameSync(
    join(base, 'uploads', second, 'manifest', own),
    join(base, 'uploads', second, 'manifest', own.replace('-', '0-')),
  );
  writeFileSync(join(base, 'uploads', first, 'manifest/000099-01234567.json.gz'), 'x');

  const { warnings } = await verified(FIRST);

  expect(warnings.map(({ key }) => key)).toEqual([`uploads/${first}/manifest/000099-01234567.json.gz`]);
});
