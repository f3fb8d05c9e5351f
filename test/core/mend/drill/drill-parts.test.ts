import { chmodSync, chownSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { chooseContents } from '../../../../src/core/mend/drill/choose.js';
import { compareRestored, type Expected } from '../../../../src/core/mend/drill/compare-restored.js';
import { provenBy } from '../../../../src/core/mend/drill/proven.js';
import { placesIn, placesText } from '../../../../src/core/dataset/checks/content-place.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';

const NOBODY = 65_534;

describe('a restored file', () => {
  const signal = new AbortController().signal;
  const file: Expected = {
    path: rawFromText('f'),
    size: 5,
    md5: createHash('md5').update('alpha').digest('hex'),
    mode: 0o4640,
    mtime: { seconds: 1_700_000_000, nanos: 0 },
  };
  let folder = '';
  const problem = async (expected = file): Promise<string | undefined> => {
    let found: string | undefined;
    await compareRestored(folder, [expected], (_, wrong) => (found = wrong), signal);
    return found;
  };
  beforeEach(async () => {
    folder = await tempFolder();
    writeFileSync(join(folder, 'f'), 'alpha');
    chmodSync(join(folder, 'f'), 0o640);
    utimesSync(join(folder, 'f'), 1_700_000_000, 1_700_000_000);
  });

  test('is right with its content, time and permissions; special bits are not restored', async () => {
    expect(await problem()).toBeUndefined();
  });

  test('is right where its mode keeps its owner from reading it', async () => {
    chmodSync(join(folder, 'f'), 0);
    const isRoot = process.geteuid?.() === 0;
    for (const path of isRoot ? [folder, join(folder, 'f')] : []) chownSync(path, NOBODY, NOBODY);
    if (isRoot) process.seteuid?.(NOBODY); // root reads everything

    const found = await problem({ ...file, mode: 0 }).finally(() => isRoot && process.seteuid?.(0));

    expect(found).toBeUndefined();
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['content', (path) => (writeFileSync(path, 'alphb'), utimesSync(path, 1_700_000_000, 1_700_000_000)), /MD5/],
    ['size', (path) => writeFileSync(path, 'alpha and more'), /14 bytes/],
    ['time', (path) => utimesSync(path, 1, 1), /modification time/],
    ['permissions', (path) => chmodSync(path, 0o600), /permissions/],
  ])('is wrong with another %s', async (_name, change, expected) => {
    change(join(folder, 'f'));

    expect(await problem()).toMatch(expected);
  });
});

describe('what is chosen', () => {
  const contents = [
    { place: 1, bytes: 10 },
    { place: 2, bytes: 10 },
    { place: 3, bytes: 10, hindrance: 'cold' as const },
    { place: 4, bytes: 10 },
  ];
  const chosen = (amount: Parameters<typeof chooseContents>[1]): number[] =>
    chooseContents(contents, amount, { at: new Map([[1, 5]]), wrong: new Set([2]) }, Math.random).map(
      ({ place }) => place,
    );

  test('is what was wrong, then what is not proven, then what was longest ago; never what is cold', () => {
    expect(chosen({ files: 9 })).toEqual([2, 4, 1]);
  });

  test('is a share of all bytes, and one content at least', () => {
    expect([chosen({ share: 0.5 }), chosen({ share: 0 })]).toEqual([[2, 4], [2]]);
  });
});

describe('what drills have proven', () => {
  const now = new Date('2026-03-31T00:00:00Z');
  const drillAt = (endedAt: string, proven: number[], disproven: number[] = []) =>
    ({ endedAt, proven: placesText(proven), disproven: placesText(disproven) }) as Parameters<
      typeof provenBy
    >[0][number];

  test('counts within the days, by the newest word on each place; claims about the future do not', () => {
    const drills = [
      drillAt('2027-01-01T00:00:00Z', [9]),
      drillAt('2026-03-30T00:00:00Z', [1], [2]),
      drillAt('2026-03-20T00:00:00Z', [2, 3]),
      drillAt('2026-01-01T00:00:00Z', [4], [1, 5]),
    ];

    const { at, wrong } = provenBy(drills, { now, days: 30 });

    expect([new Set(at.keys()), wrong]).toEqual([new Set([1, 3]), new Set([2, 5])]);
  });

  test('keeps places of 48 bits as they are', () => {
    const places = [0, 1, 2 ** 48 - 1, 123_456_789_012];
    expect([...placesIn(placesText(places))]).toEqual(places.toSorted((a, b) => a - b));
  });
});
