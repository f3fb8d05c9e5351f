import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendRecords, projectsOf, readLedger } from '../../../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../../../src/core/money/ledger/record.js';
import { ledgerRecord } from '../../../support/ledger-record.js';
import { tempFolder } from '../../../support/temp-folder.js';

const HOST = { host: 'here' };

async function ledgerOf(...records: readonly LedgerRecord[]): Promise<string> {
  const folder = join(await tempFolder(), 'ledger');
  for (const record of records) await appendRecords(folder, [record], HOST);
  return folder;
}

const idsOf = ({ records }: { readonly records: readonly LedgerRecord[] }): readonly string[] =>
  records.map(({ id }) => id);

test('records are read as they were appended', async () => {
  const records = [
    ledgerRecord(),
    ledgerRecord({
      operation: 'prune',
      outcome: 'interrupted',
      project: null,
      used: [{ kind: 'restore', storageClass: 'GLACIER', way: 'bulk', quantity: 3 }],
      stored: [{ storageClass: 'GLACIER', objects: -3, bytes: -10, billedBytes: -20 }],
      lines: [{ item: 'earlyDeletion', storageClass: null, quantity: 10, costMicros: null }],
      costMicros: null,
      monthlyMicros: -17,
    }),
  ];

  expect(await readLedger(await ledgerOf(...records))).toEqual({ records, skipped: 0 });
});

test('where there is no ledger there are no records', async () => {
  expect(await readLedger(join(await tempFolder(), 'none'))).toEqual({ records: [], skipped: 0 });
});

test('wherever a writer is killed in a line, what stands before is read, and so is what others append later', async () => {
  const [first, torn, later] = [ledgerRecord(), ledgerRecord(), ledgerRecord()];
  const folder = await ledgerOf(first, torn);
  const path = join(folder, '2026-03.jsonl');
  const whole = readFileSync(path);
  const firstEnds = whole.indexOf(10) + 1;

  for (let size = firstEnds; size < whole.length - 1; size += 7) {
    writeFileSync(path, whole.subarray(0, size));
    const isTorn = size > firstEnds ? 1 : 0;
    expect(await readLedger(folder)).toEqual({ records: [first], skipped: isTorn });
    await appendRecords(folder, [later], HOST);
    expect(await readLedger(folder)).toEqual({ records: [first, later], skipped: isTorn });
  }
});

test('a line without its end is complete', async () => {
  const [first, later] = [ledgerRecord(), ledgerRecord()];
  const folder = await ledgerOf(first);
  const path = join(folder, '2026-03.jsonl');
  writeFileSync(path, readFileSync(path).subarray(0, -1));

  await appendRecords(folder, [later], HOST);

  expect(await readLedger(folder)).toEqual({ records: [first, later], skipped: 0 });
});

test('a damaged line is skipped and counted, and the lines around it are read', async () => {
  const [first, second, third] = [ledgerRecord(), ledgerRecord({ bytes: 123_456 }), ledgerRecord()];
  const folder = await ledgerOf(first, second, third);
  const path = join(folder, '2026-03.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('123456', '123457'));

  expect(await readLedger(folder)).toEqual({ records: [first, third], skipped: 1 });
});

test('processes that append at the same time lose nothing', async () => {
  const folder = join(await tempFolder(), 'ledger');
  const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).toString());
  const script = `
    import { appendRecords } from ${moduleAt('../../../../src/core/money/ledger/ledger.ts')};
    import { ledgerRecord } from ${moduleAt('../../../support/ledger-record.ts')};
    for (let i = 0; i < 8; i++) await appendRecords(${JSON.stringify(folder)}, [ledgerRecord()], { host: 'here' });`;
  const children = [1, 2].map(() =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' }),
  );
  const ended = Promise.all(children.map((child) => once(child, 'exit')));
  await Promise.all(Array.from({ length: 8 }, () => appendRecords(folder, [ledgerRecord()], HOST)));

  const ends = await ended;

  expect(ends).toEqual([
    [0, null],
    [0, null],
  ]);
  const { records, skipped } = await readLedger(folder);
  expect([records.length, skipped]).toEqual([24, 0]);
  expect(readdirSync(folder)).toEqual(['2026-03.jsonl']);
});

test('a clock that is set back leaves records in the order of their times, each once', async () => {
  const [march, february, april] = ['2026-03-01', '2026-02-10', '2026-04-30'].map((day) =>
    ledgerRecord({ time: `${day}T00:00:00.000Z` }),
  );
  const folder = await ledgerOf(march!, february!, april!, february!);

  expect(idsOf(await readLedger(folder))).toEqual([february!.id, march!.id, april!.id]);
});

test('a range has its first moment and not its last, and other months are not opened', async () => {
  const [early, inside, late] = [
    '2026-02-28T23:59:59.999Z',
    '2026-03-01T00:00:00.000Z',
    '2026-03-31T00:00:00.000Z',
  ].map((time) => ledgerRecord({ time }));
  const folder = await ledgerOf(early!, inside!, late!);
  writeFileSync(join(folder, '2025-01.jsonl'), 'not a record\n');
  const from = new Date(inside!.time);

  expect(await readLedger(folder, { from, until: new Date(late!.time) })).toEqual({ records: [inside], skipped: 0 });
  expect((await readLedger(folder)).skipped).toBe(1);
});

test.each([
  ['NaN', { bytes: Number.NaN }],
  ['less than nothing', { files: -1 }],
  ['more than a number holds', { bytes: 2 ** 60 }],
  ['a part of a request', { used: [{ kind: 'put', quantity: 0.5 }] }],
  ['a negative cost', { costMicros: -1 }],
  ['an endless change', { stored: [{ storageClass: 'STANDARD', objects: 1, bytes: Infinity, billedBytes: 1 }] }],
  ['no time', { time: '2026-02-31 at noon' }],
  ['a month that is none', { time: '2026-13-01T00:00:00.000Z' }],
  ['an operation that nobody does', { operation: 'delete everything' }],
] as const)('%s is refused and writes nothing', async (_what, wrong) => {
  const folder = join(await tempFolder(), 'ledger');

  await expect(appendRecords(folder, [{ ...ledgerRecord(), ...wrong } as LedgerRecord], HOST)).rejects.toMatchObject({
    code: 'integrity',
  });
  expect((await readLedger(folder)).records).toEqual([]);
});

test('the project of an upload is that of the newest record which names it, and nothing older is read', async () => {
  const uploadId = '20260101-000000-01234567';
  const at = (day: string, project: string) =>
    ledgerRecord({ uploadId, project, time: `2026-03-${day}T00:00:00.000Z` });
  const folder = await ledgerOf(at('01', 'genomes'), at('02', 'microbes'));
  await appendRecords(folder, [ledgerRecord({ uploadId: '20260102-000000-01234567', time: at('03', '').time })], HOST);
  mkdirSync(join(folder, '2026-02.jsonl')); // it cannot be read

  expect(await projectsOf(folder, [uploadId])).toEqual(new Map([[uploadId, 'microbes']]));
});

test('a record of who knew nothing of an upload hides no project, and an upload without one is told from an unknown one', async () => {
  const [uploadId, other, unknown] = ['1', '2', '3'].map((end) => `20260101-000000-0123456${end}`);
  const at = (day: string, of = '', own: Partial<LedgerRecord> = {}) =>
    ledgerRecord({ uploadId: of, project: of, time: `2026-03-${day}T00:00:00.000Z`, ...own });
  const folder = await ledgerOf(
    at('01', uploadId, { project: 'genomes' }),
    at('02', other),
    at('03', uploadId, { operation: 'prune' }),
    at('03', unknown, { operation: 'prune' }),
  );

  expect(await projectsOf(folder, [uploadId, other, unknown].map(String))).toEqual(
    new Map([
      [uploadId, 'genomes'],
      [other, null],
    ]),
  );
});

test('for the project of an upload no month before it is read', async () => {
  const uploadId = '20260301-000000-01234567';
  const folder = await ledgerOf(ledgerRecord({ uploadId, project: 'genomes' }));
  // It cannot be read.
  mkdirSync(join(folder, '2026-01.jsonl'));

  expect(await projectsOf(folder, ['20260302-000000-01234567', uploadId])).toEqual(new Map([[uploadId, 'genomes']]));
  await expect(projectsOf(folder, [uploadId, 'no-date'])).rejects.toThrow('2026-01.jsonl');
});
