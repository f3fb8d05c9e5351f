// What a bill comes to, worked out by hand: the sum is written as on paper, in the units of the list, and `usd` is what it gives.
import { expect, test } from 'vitest';
import { billOf, type Usage, type UsageKind } from '../../../src/core/cost/cost-model.js';
import { listPrices } from '../../../src/core/cost/price-book.js';
import type { PriceList, RetrievalWay } from '../../../src/core/cost/price-table.js';
import { minimumStorage, storedObject } from '../../../src/core/cost/stored-object.js';

const KB = 2 ** 10;
const MB = 2 ** 20;
const GB = 2 ** 30;
const TB = 2 ** 40;

const usage = (prices: PriceList) => {
  /** `count` objects of this size for so many days, a month where they are not given. */
  const stored = (storageClass: string, sizeBytes: number, count = 1, days?: number): readonly Usage[] =>
    storedObject({ storageClass, sizeBytes }, days, prices).map((one) => ({ ...one, quantity: one.quantity * count }));
  const request = (kind: UsageKind, storageClass: string, quantity: number): Usage => ({
    kind,
    storageClass,
    quantity,
  });
  return {
    stored,
    request,
    /** All that is billed of a month. */
    month: (storageClass: string, sizeBytes: number): readonly Usage[] => [
      ...stored(storageClass, sizeBytes),
      minimumStorage(sizeBytes, prices),
    ],
    multipart: (storageClass: string, parts: number, uploads = 1): readonly Usage[] => [
      request('initiateMultipart', storageClass, uploads),
      request('uploadPart', storageClass, uploads * parts),
      request('completeMultipart', storageClass, uploads),
    ],
    retrieved: (storageClass: string, quantity: number): Usage => ({ kind: 'retrieval', storageClass, quantity }),
    thawed: (storageClass: string, way: RetrievalWay, objects: number, bytes: number): readonly Usage[] => [
      { kind: 'restore', storageClass, way, quantity: objects },
      { kind: 'retrieval', storageClass, way, quantity: bytes },
    ],
    sent: (quantity: number): Usage => ({ kind: 'transferOut', quantity }),
  };
};

interface Case {
  readonly name: string;
  /** A region of AWS, or a provider. */
  readonly place: string;
  readonly used: (to: ReturnType<typeof usage>) => readonly Usage[];
  readonly sum: string;
  readonly usd: number;
}

const CASES: readonly Case[] = [
  {
    name: 'STANDARD, inside the first band',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 100 * GB),
    sum: '100 * 0.023',
    usd: 2.3,
  },
  {
    name: 'STANDARD, exactly the first band',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 50 * TB),
    sum: '51200 * 0.023',
    usd: 1177.6,
  },
  {
    name: 'STANDARD, one GB into the second band',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 50 * TB + GB),
    sum: '51200 * 0.023 + 1 * 0.022',
    usd: 1177.622,
  },
  {
    name: 'STANDARD, all three bands',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 600 * TB),
    sum: '51200 * 0.023 + 460800 * 0.022 + (614400 - 512000) * 0.021',
    usd: 13465.6,
  },
  {
    name: 'STANDARD, São Paulo, two bands',
    place: 'sa-east-1',
    used: (to) => to.stored('STANDARD', 60 * TB),
    sum: '51200 * 0.0405 + 10240 * 0.039',
    usd: 2472.96,
  },
  {
    name: 'STANDARD, half a month',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 1000 * GB, 1, 15),
    sum: '1000 * 0.023 * 15 / 30',
    usd: 11.5,
  },
  {
    name: 'STANDARD, three months: bands begin anew',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', 60 * TB, 1, 90),
    sum: '3 * (51200 * 0.023 + 10240 * 0.022)',
    usd: 4208.64,
  },
  {
    name: 'two lots of STANDARD fill the bands together',
    place: 'us-east-1',
    used: (to) => [...to.stored('STANDARD', 30 * TB), ...to.stored('STANDARD', 30 * TB)],
    sum: '51200 * 0.023 + 10240 * 0.022',
    usd: 1402.88,
  },
  {
    name: 'STANDARD_IA, objects of 100 KB are billed as 128 KB',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD_IA', 100 * KB, 1e6),
    sum: '1e6 * 128 / 1024 / 1024 * 0.0125',
    usd: 1.5259,
  },
  {
    name: 'STANDARD_IA, an object of 129 KB is billed as it is',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD_IA', 129 * KB, 1e6),
    sum: '1e6 * 129 / 1024 / 1024 * 0.0125',
    usd: 1.5378,
  },
  {
    name: 'ONEZONE_IA, empty objects',
    place: 'us-east-1',
    used: (to) => to.stored('ONEZONE_IA', 0, 1e6),
    sum: '1e6 * 128 / 1024 / 1024 * 0.01',
    usd: 1.2207,
  },
  {
    name: 'GLACIER_IR, objects of 1 byte in Frankfurt',
    place: 'eu-central-1',
    used: (to) => to.stored('GLACIER_IR', 1, 1e6),
    sum: '1e6 * 128 / 1024 / 1024 * 0.005',
    usd: 0.6104,
  },
  {
    name: 'GLACIER, 10 TB in objects of 32 MB: 32 KB each at its own rate, 8 KB at that of STANDARD',
    place: 'us-east-1',
    used: (to) => to.stored('GLACIER', 32 * MB, 327_680),
    sum: '(10240 + 327680 * 32 / 1024 / 1024) * 0.0036 + 327680 * 8 / 1024 / 1024 * 0.023',
    usd: 36.9575,
  },
  {
    name: 'GLACIER, a million objects of 1 KB: the overhead is all of it',
    place: 'us-east-1',
    used: (to) => to.stored('GLACIER', KB, 1e6),
    sum: '1e6 * 33 / 1024 / 1024 * 0.0036 + 1e6 * 8 / 1024 / 1024 * 0.023',
    usd: 0.2888,
  },
  {
    name: 'DEEP_ARCHIVE, 100 TB in objects of 64 MB',
    place: 'us-east-1',
    used: (to) => to.stored('DEEP_ARCHIVE', 64 * MB, 1_638_400),
    sum: '(102400 + 1638400 * 32 / 1024 / 1024) * 0.00099 + 1638400 * 8 / 1024 / 1024 * 0.023',
    usd: 101.713,
  },
  {
    name: 'DEEP_ARCHIVE, a million empty objects',
    place: 'us-east-1',
    used: (to) => to.stored('DEEP_ARCHIVE', 0, 1e6),
    sum: '1e6 * 32 / 1024 / 1024 * 0.00099 + 1e6 * 8 / 1024 / 1024 * 0.023',
    usd: 0.2057,
  },
  {
    name: 'DEEP_ARCHIVE in São Paulo',
    place: 'sa-east-1',
    used: (to) => to.stored('DEEP_ARCHIVE', GB, 1000),
    sum: '(1000 + 1000 * 32 / 1024 / 1024) * 0.0032 + 1000 * 8 / 1024 / 1024 * 0.0405',
    usd: 3.2004,
  },
  {
    name: 'INTELLIGENT_TIERING, objects of 1 MB are watched',
    place: 'us-east-1',
    used: (to) => to.stored('INTELLIGENT_TIERING', MB, 1e6),
    sum: '1e6 / 1024 * 0.023 + 1e6 / 1000 * 0.0025',
    usd: 24.9609,
  },
  {
    name: 'INTELLIGENT_TIERING, an object of 128 KB is watched',
    place: 'us-east-1',
    used: (to) => to.stored('INTELLIGENT_TIERING', 128 * KB, 1e6),
    sum: '1e6 * 128 / 1024 / 1024 * 0.023 + 1e6 / 1000 * 0.0025',
    usd: 5.3076,
  },
  {
    name: 'INTELLIGENT_TIERING, smaller ones are not',
    place: 'us-east-1',
    used: (to) => to.stored('INTELLIGENT_TIERING', 128 * KB - 1, 1e6),
    sum: '1e6 * (128 * 1024 - 1) / 1024 ** 3 * 0.023',
    usd: 2.8076,
  },
  {
    name: 'PUT to STANDARD',
    place: 'us-east-1',
    used: (to) => [to.request('put', 'STANDARD', 1e6)],
    sum: '1e6 / 1000 * 0.005',
    usd: 5,
  },
  {
    name: 'PUT to STANDARD_IA',
    place: 'us-east-1',
    used: (to) => [to.request('put', 'STANDARD_IA', 1e6)],
    sum: '1e6 / 1000 * 0.01',
    usd: 10,
  },
  {
    name: 'PUT to DEEP_ARCHIVE in Tokyo',
    place: 'ap-northeast-1',
    used: (to) => [to.request('put', 'DEEP_ARCHIVE', 1e6)],
    sum: '1e6 / 1000 * 0.065',
    usd: 65,
  },
  {
    name: 'GET of GLACIER_IR',
    place: 'us-east-1',
    used: (to) => [to.request('get', 'GLACIER_IR', 1e6)],
    sum: '1e6 / 1000 * 0.01',
    usd: 10,
  },
  {
    name: 'HEAD is a GET',
    place: 'us-east-1',
    used: (to) => [to.request('head', 'STANDARD', 1e6)],
    sum: '1e6 / 1000 * 0.0004',
    usd: 0.4,
  },
  {
    name: 'LIST costs the same whatever the class',
    place: 'us-east-1',
    used: (to) => [to.request('list', 'DEEP_ARCHIVE', 1e6)],
    sum: '1e6 / 1000 * 0.005',
    usd: 5,
  },
  {
    name: 'COPY to GLACIER',
    place: 'us-east-1',
    used: (to) => [to.request('copy', 'GLACIER', 1e6)],
    sum: '1e6 / 1000 * 0.03',
    usd: 30,
  },
  {
    name: 'DELETE is free',
    place: 'us-east-1',
    used: (to) => [to.request('delete', 'STANDARD', 1e9)],
    sum: '0',
    usd: 0,
  },
  {
    name: 'a multipart upload of 1000 parts to DEEP_ARCHIVE',
    place: 'us-east-1',
    used: (to) => to.multipart('DEEP_ARCHIVE', 1000),
    sum: '(1 + 1000) / 1000 * 0.005 + 1 / 1000 * 0.05',
    usd: 0.0051,
  },
  {
    name: '1000 multipart uploads of 10 parts to GLACIER in London',
    place: 'eu-west-2',
    used: (to) => to.multipart('GLACIER', 10, 1000),
    sum: '(1000 + 10000) / 1000 * 0.0053 + 1000 / 1000 * 0.0318',
    usd: 0.0901,
  },
  {
    name: '1000 multipart uploads of 10 parts to STANDARD_IA',
    place: 'us-east-1',
    used: (to) => to.multipart('STANDARD_IA', 10, 1000),
    sum: '12000 / 1000 * 0.01',
    usd: 0.12,
  },
  {
    name: 'lifecycle transition to DEEP_ARCHIVE',
    place: 'us-east-1',
    used: (to) => [to.request('transition', 'DEEP_ARCHIVE', 1e6)],
    sum: '1e6 / 1000 * 0.05',
    usd: 50,
  },
  {
    name: 'lifecycle transition to GLACIER in Mumbai',
    place: 'ap-south-1',
    used: (to) => [to.request('transition', 'GLACIER', 1e6)],
    sum: '1e6 / 1000 * 0.036',
    usd: 36,
  },
  {
    name: 'lifecycle transition to INTELLIGENT_TIERING',
    place: 'us-east-1',
    used: (to) => [to.request('transition', 'INTELLIGENT_TIERING', 1e6)],
    sum: '1e6 / 1000 * 0.01',
    usd: 10,
  },
  {
    name: 'retrieval out of STANDARD_IA',
    place: 'us-east-1',
    used: (to) => [to.retrieved('STANDARD_IA', 500 * GB)],
    sum: '500 * 0.01',
    usd: 5,
  },
  {
    name: 'retrieval out of GLACIER_IR',
    place: 'us-east-1',
    used: (to) => [to.retrieved('GLACIER_IR', 500 * GB)],
    sum: '500 * 0.03',
    usd: 15,
  },
  {
    name: 'GLACIER, expedited: 100 objects of 2 GB',
    place: 'us-east-1',
    used: (to) => to.thawed('GLACIER', 'expedited', 100, 200 * GB),
    sum: '200 * 0.03 + 100 / 1000 * 10',
    usd: 7,
  },
  {
    name: 'GLACIER, bulk is free',
    place: 'us-east-1',
    used: (to) => to.thawed('GLACIER', 'bulk', 1e6, 100 * TB),
    sum: '0',
    usd: 0,
  },
  {
    name: 'DEEP_ARCHIVE, standard: 32,000 objects of 1 TB',
    place: 'us-east-1',
    used: (to) => to.thawed('DEEP_ARCHIVE', 'standard', 32_000, TB),
    sum: '1024 * 0.02 + 32 * 0.1',
    usd: 23.68,
  },
  {
    name: 'DEEP_ARCHIVE, bulk in Ireland',
    place: 'eu-west-1',
    used: (to) => to.thawed('DEEP_ARCHIVE', 'bulk', 32_000, TB),
    sum: '1024 * 0.003 + 32 * 0.025',
    usd: 3.872,
  },
  {
    name: 'the readable copy of a thawed TB for 7 days',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD', TB, 1, 7),
    sum: '1024 * 0.023 * 7 / 30',
    usd: 5.4955,
  },
  {
    name: 'transfer to the internet, two bands',
    place: 'us-east-1',
    used: (to) => [to.sent(20 * TB)],
    sum: '10240 * 0.09 + 10240 * 0.085',
    usd: 1792,
  },
  {
    name: 'transfer to the internet out of Singapore, four bands',
    place: 'ap-southeast-1',
    used: (to) => [to.sent(200 * TB)],
    sum: '10240 * 0.12 + 40960 * 0.085 + 102400 * 0.082 + 51200 * 0.08',
    usd: 17203.2,
  },
  {
    name: 'GLACIER deleted after 30 days: 60 of its 90 are left',
    place: 'us-east-1',
    used: (to) => to.stored('GLACIER', TB, 1, 60),
    sum: '(1024 + 32 / 1024 / 1024) * 0.0036 * 2 + 8 / 1024 / 1024 * 0.023 * 2',
    usd: 7.3728,
  },
  {
    name: 'DEEP_ARCHIVE deleted after 45 days: 135 of its 180 are left',
    place: 'us-east-1',
    used: (to) => to.stored('DEEP_ARCHIVE', GB, 1000, 135),
    sum: '(1000 + 1000 * 32 / 1024 / 1024) * 0.00099 * 4.5 + 1000 * 8 / 1024 / 1024 * 0.023 * 4.5',
    usd: 4.4559,
  },
  {
    name: 'STANDARD_IA deleted after 10 days: 20 of its 30 are left',
    place: 'us-east-1',
    used: (to) => to.stored('STANDARD_IA', TB, 1, 20),
    sum: '1024 * 0.0125 * 20 / 30',
    usd: 8.5333,
  },
  {
    name: 'Wasabi, 100 GB: a full TB is billed',
    place: 'wasabi',
    used: (to) => to.month('STANDARD', 100 * GB),
    sum: '7.99',
    usd: 7.99,
  },
  {
    name: 'Wasabi, 2.5 TB',
    place: 'wasabi',
    used: (to) => to.month('STANDARD', 2.5 * TB),
    sum: '2.5 * 7.99',
    usd: 19.975,
  },
  {
    name: 'Wasabi, a billion objects of 1 KB are billed as 4 KB',
    place: 'wasabi',
    used: (to) => to.stored('STANDARD', KB, 1e9),
    sum: '1e9 * 4 / 1024 ** 3 * 7.99',
    usd: 29.7651,
  },
  {
    name: 'Wasabi, 1 TB deleted after 30 days: 60 of its 90 are left',
    place: 'wasabi',
    used: (to) => to.stored('STANDARD', TB, 1, 60),
    sum: '2 * 7.99',
    usd: 15.98,
  },
  {
    name: 'Wasabi, requests and transfer are free',
    place: 'wasabi',
    used: (to) => [to.request('put', 'STANDARD', 1e9), to.request('list', 'STANDARD', 1e9), to.sent(TB)],
    sum: '0',
    usd: 0,
  },
  {
    name: 'Backblaze B2, the first 10 GB are free',
    place: 'b2',
    used: (to) => to.month('STANDARD', 10e9),
    sum: '0',
    usd: 0,
  },
  {
    name: 'Backblaze B2, 1 TB of 10^12 bytes',
    place: 'b2',
    used: (to) => to.month('STANDARD', 1e12),
    sum: '990 * 0.00695',
    usd: 6.8805,
  },
  {
    name: 'Backblaze B2, transfer beyond what is free',
    place: 'b2',
    used: (to) => [to.sent(5e12)],
    sum: '5000 * 0.01',
    usd: 50,
  },
];

const listOf = (place: string): PriceList =>
  place === 'wasabi' || place === 'b2'
    ? listPrices({ provider: place, region: undefined })
    : listPrices({ region: place });

test.each(CASES)('$name ($place): $sum = $usd', ({ place, used, usd }) => {
  const prices = listOf(place);

  const { costUsd } = billOf([['all', used(usage(prices))]], prices);

  expect(costUsd).toBeCloseTo(usd, 3);
});
