// Random histories of a store that several computers and the rules of its bucket change, and of one ledger that sees a part of it. The truth
// is a list of objects, and what the ledger is to say is counted from that alone.
import { describe, expect, test } from 'vitest';
import { listPrices } from '../../../../src/core/cost/price-book.js';
import { dailySpend } from '../../../../src/core/money/ledger/daily.js';
import { ListedLevels } from '../../../../src/core/money/ledger/listed-levels.js';
import { type Measured, rebaseOf } from '../../../../src/core/money/ledger/rebase.js';
import { checkRecord, type LedgerRecord, type StoredChange } from '../../../../src/core/money/ledger/record.js';
import { spentIn } from '../../../../src/core/money/ledger/report.js';
import { ledgerRecord } from '../../../support/ledger-record.js';
import { randomOf } from '../../../support/random.js';

const PRICES = listPrices({ region: 'us-west-2' });
const CLASSES = ['STANDARD', 'GLACIER_IR', 'DEEP_ARCHIVE', 'INTELLIGENT_TIERING'];
const DAY = 86_400_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const ALL = { name: 'all', from: undefined, until: '2099-01-01', timeZone: 'UTC' } as const;

interface Stored {
  readonly key: string;
  readonly uploadId: string;
  readonly project: string;
  storageClass: string;
  readonly sizeBytes: number;
}

const NOTHING = { used: [], lines: [], costMicros: 0, datasetId: null } as const;

function changeOf(objects: readonly Stored[], sign: 1 | -1): readonly StoredChange[] {
  return CLASSES.flatMap((storageClass) => {
    const own = objects.filter((one) => one.storageClass === storageClass);
    const bytes = sign * own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return own.length === 0 ? [] : [{ storageClass, objects: sign * own.length, bytes, billedBytes: bytes }];
  });
}

function world(seed: number) {
  const random = randomOf(seed);
  const objects: Stored[] = [];
  const records: LedgerRecord[] = [];
  const ids: { readonly uploadId: string; readonly project: string; readonly isOurs: boolean }[] = [];
  let time = START;
  const record = (own: Partial<LedgerRecord>): void =>
    void records.push(ledgerRecord({ ...NOTHING, time: new Date(time).toISOString(), ...own }));
  const upload = (isSeen: boolean): void => {
    const uploadId = `20260304-120000-${ids.length.toString(16).padStart(8, '0')}`;
    const isOurs = isSeen || random(3) > 0;
    const project = isOurs && random(3) > 0 ? `project-${random(3)}` : uploadId;
    ids.push({ uploadId, project, isOurs });
    const own = Array.from({ length: 1 + random(4) }, (_, chunk) => {
      const key = `archive/uploads/${uploadId}/shard-00/chunk-${chunk}`;
      return {
        key,
        uploadId,
        project,
        storageClass: CLASSES[random(4)]!,
        sizeBytes: random(2) * 1000 + random(9_000_000),
      };
    });
    objects.push(...own);
    if (isOurs) record({ project, uploadId, stored: changeOf(own, 1), monthlyMicros: random(1000) });
  };
  const remove = (isOurs: boolean): void => {
    const { uploadId, project } = ids[random(ids.length)] ?? {};
    const gone = objects.filter((one) => one.uploadId === uploadId && random(2) > 0);
    for (const one of gone) objects.splice(objects.indexOf(one), 1);
    if (isOurs && gone.length > 0)
      record({
        operation: 'prune',
        project: project!,
        uploadId: uploadId!,
        stored: changeOf(gone, -1),
        monthlyMicros: -random(500),
      });
  };
  const move = (): void => {
    for (const one of objects) if (random(4) === 0) one.storageClass = CLASSES[random(4)]!;
  };
  const acts = [() => upload(false), () => upload(false), () => remove(true), () => remove(false), move];
  return {
    objects,
    records,
    ids,
    go(isSeen: boolean): void {
      time += random(2 * DAY);
      if (isSeen) [() => upload(true), () => remove(true)][random(2)]!();
      else acts[random(acts.length)]!();
    },
    measure(more: Partial<Measured> = {}): Measured {
      time += DAY;
      const levels = new ListedLevels();
      for (const { key, ...one } of objects) levels.add(key, { ...one, isCurrent: true, isDeleteMarker: false });
      const at = new Date(time);
      const about = {
        by: 'listing',
        region: 'us-west-2',
        provider: 'aws',
        prices: PRICES,
        busy: new Set<string>(),
      } as const;
      return { place: 's3://lab', at, groups: levels.all(), ...about, ...more };
    },
  };
}

type World = ReturnType<typeof world>;

/** Bytes and objects by project and class, without what is empty. */
function shown(records: readonly LedgerRecord[]): Readonly<Record<string, readonly number[]>> {
  const { stored } = spentIn(records, ALL);
  return sumsOf(
    stored.map(({ project, storageClass, objects, bytes }) => [`${project} ${storageClass}`, objects, bytes]),
  );
}

const truth = ({ objects }: World): Readonly<Record<string, readonly number[]>> =>
  sumsOf(objects.map(({ project, storageClass, sizeBytes }) => [`${project} ${storageClass}`, 1, sizeBytes]));

function sumsOf(rows: readonly (readonly [string, number, number])[]): Readonly<Record<string, readonly number[]>> {
  const sums: Record<string, readonly number[]> = {};
  for (const [name, objects, bytes] of rows) {
    const [objectsBefore = 0, bytesBefore = 0] = sums[name] ?? [];
    if (bytes > 0) sums[name] = [objectsBefore + objects, bytesBefore + bytes];
  }
  return sums;
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1);

describe.each(SEEDS)('history %i', (seed) => {
  test('after a rebase the ledger has what is stored, a second one changes nothing, and later runs count on top', () => {
    const lab = world(seed);
    for (let step = 0; step < 30; step++) lab.go(false);

    const measured = lab.measure();
    const first = rebaseOf(lab.records, measured, '0'.repeat(16));
    first.records.forEach(checkRecord);
    const after = [...lab.records, ...first.records];

    expect(shown(after)).toEqual(truth(lab));
    expect(dailySpend(after).at(-1)?.bytes).toBe(first.after.bytes);
    expect(first.after.bytes).toBe(lab.objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    const again = rebaseOf(after, measured, '1'.repeat(16));
    expect([again.corrections, again.records]).toEqual([[], []]);

    lab.records.push(...first.records);
    for (let step = 0; step < 10; step++) lab.go(true);
    expect(shown(lab.records)).toEqual(truth(lab));
  });

  test('as of an earlier day, runs since then count on top', () => {
    const lab = world(seed);
    for (let step = 0; step < 20; step++) lab.go(false);
    const measured = lab.measure({ by: 'inventory' });
    for (let step = 0; step < 10; step++) lab.go(true);

    const { records } = rebaseOf(lab.records, measured, '0'.repeat(16));
    const all = [...lab.records, ...records].sort((one, other) =>
      one.time < other.time ? -1 : Number(one.time > other.time),
    );

    expect(shown(all)).toEqual(truth(lab));
  });
});

describe('an upload that is written while the store is listed', () => {
  const uploadId = '20260304-120000-01020304';
  const stored = [{ storageClass: 'STANDARD', objects: 2, bytes: 200, billedBytes: 200 }];
  const listed = (): ListedLevels => {
    const levels = new ListedLevels();
    const one = { sizeBytes: 100, storageClass: 'STANDARD', isCurrent: true, isDeleteMarker: false };
    levels.add(`archive/uploads/${uploadId}/a`, one);
    levels.add('archive/uploads/20260304-110000-01020304/a', one);
    return levels;
  };
  const at = new Date('2026-03-04T12:00:00.000Z');
  const measured = (more: Partial<Measured>): Measured => {
    const about = {
      by: 'listing',
      region: 'us-west-2',
      provider: 'aws',
      prices: PRICES,
      busy: new Set<string>(),
    } as const;
    return { place: 's3://lab', at, groups: listed().all(), ...about, ...more };
  };
  const later = ledgerRecord({ ...NOTHING, time: '2026-03-04T12:30:00.000Z', uploadId, stored });

  test.each(['listing', 'inventory'] as const)('is left to the record of its run, which ended since (%s)', (by) => {
    const { left, records } = rebaseOf([later], measured({ by }), '0'.repeat(16));
    expect(left).toEqual([uploadId]);
    expect(shown([...records, later])).toEqual({
      'genome STANDARD': [2, 200],
      '20260304-110000-01020304 STANDARD': [1, 100],
    });
  });

  test('is left to the record of its run, which goes on', () => {
    const { left, records } = rebaseOf([], measured({ busy: new Set([uploadId, 'elsewhere']) }), '0'.repeat(16));
    expect(left).toEqual([uploadId]);
    expect(shown([...records, later])).toMatchObject({ 'genome STANDARD': [2, 200] });
  });

  test('a part of a store, and a store of the same name elsewhere, are refused', () => {
    const other = ledgerRecord({ provider: 'other' });
    expect(() => rebaseOf([other], measured({}), '0'.repeat(16))).toThrow('of another provider');
    expect(() => rebaseOf([later], measured({ place: 's3://lab/archive/uploads' }), '0'.repeat(16))).toThrow(
      'as a part of',
    );
  });
});
