import { expect, test } from 'vitest';
import { listPrices } from '../../../../src/core/cost/price-book.js';
import { makeRecords } from '../../../../src/core/money/ledger/make-record.js';
import { RunMeter } from '../../../../src/core/money/ledger/run-meter.js';

test('bytes are billed with the smallest size of their class and what is kept beside them; objects that are watched are no bytes', () => {
  const now = () => new Date('2026-03-01T00:00:00Z');
  const all = new RunMeter(now, ({ region }) => listPrices({ region }));
  const meter = all.open({ url: 's3://lab', isAws: true, isFolder: false, region: 'us-east-1' });
  meter.requested('put', 'STANDARD');
  for (const storageClass of ['INTELLIGENT_TIERING', 'GLACIER_IR', 'GLACIER'])
    for (const sizeBytes of [1000, 1_000_000])
      meter.wrote({ key: `${storageClass}-${sizeBytes}`, storageClass, sizeBytes });

  const [record] = makeRecords({ operation: 'upload' }, all.uses(), {
    time: now(),
    outcome: 'done',
    id: '0'.repeat(16),
    projectOf: () => undefined,
  });

  expect(record?.stored).toEqual([
    { storageClass: 'INTELLIGENT_TIERING', objects: 2, bytes: 1_001_000, billedBytes: 1_001_000 },
    { storageClass: 'GLACIER_IR', objects: 2, bytes: 1_001_000, billedBytes: 131_072 + 1_000_000 },
    { storageClass: 'GLACIER', objects: 2, bytes: 1_001_000, billedBytes: 1_001_000 + 2 * 32_768 },
    { storageClass: 'STANDARD', objects: 0, bytes: 0, billedBytes: 2 * 8192 },
  ]);
});

test('what was sent is measured from the beginning of the first PUT to the end of the last one', () => {
  let ms = Date.parse('2026-03-01T00:00:00Z');
  const now = () => new Date(ms);
  const all = new RunMeter(now, ({ region }) => listPrices({ region }));
  const meter = all.open({ url: 's3://lab', isAws: true, isFolder: false, region: 'us-east-1' });
  meter.requested('list', 'STANDARD');
  ms += 5000;
  for (const key of ['a', 'b']) {
    meter.requested('put', 'STANDARD');
    ms += 1500;
    meter.wrote({ key, sizeBytes: 10_000_000, storageClass: 'STANDARD' });
  }
  ms += 7000;
  meter.copied('a', 'c', 'STANDARD');

  expect(all.uses().map(({ sent }) => sent)).toEqual([{ bytes: 20_000_000, ms: 3000 }]);
});
