import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pricesIn } from '../../../../src/core/cost/price-table.js';
import { type ToolCost, toolCost } from '../../../../src/core/money/tool-costs/compare-tools.js';
import { TOOL_NAMES, type ToolName } from '../../../../src/core/money/tool-costs/tools.js';

const MIB = 2 ** 20;
const prices = pricesIn('us-west-2');

const cost = (tool: ToolName, files: number, fileBytes: number, storageClass = 'STANDARD'): ToolCost =>
  toolCost(tool, { files, bytes: files * fileBytes, compressionRatio: 1, dedupRatio: 1 }, storageClass, prices);

test.each([
  ['s5cmd', 50 * MIB, { put: 10, head: 0, list: 0 }],
  // Begun, two parts, completed.
  ['s5cmd', 51 * MIB, { put: 40, head: 0, list: 0 }],
  ['rclone', 200 * MIB, { put: 10, head: 10, list: 0 }],
  ['rclone', 201 * MIB, { put: 430, head: 10, list: 0 }],
  ['aws-cli', 8 * MIB - 1, { put: 10, head: 0, list: 0 }],
  ['aws-cli', 8 * MIB, { put: 30, head: 0, list: 0 }],
  ['aws-cli', 9 * MIB, { put: 40, head: 0, list: 0 }],
] as const)('%s puts ten files of %i bytes with so many requests', (tool, fileBytes, requests) => {
  expect(cost(tool, 10, fileBytes)).toMatchObject({ objects: 10, storedBytes: 10 * fileBytes, requests });
});

test('no object has more parts than S3 takes', () => {
  expect(cost('rclone', 1, 2 ** 40).requests.put).toBe(10_002);
});

test('a million files of 512 KiB, by hand', () => {
  // PUT $0.005, GET $0.0004 a thousand; 488.28125 GB at $0.023.
  const monthlyUsd = expect.closeTo(11.23046875, 8);
  const files = 1_000_000;
  expect(cost('s5cmd', files, 2 ** 19)).toMatchObject({ requestsUsd: expect.closeTo(5), monthlyUsd });
  expect(cost('rclone', files, 2 ** 19)).toMatchObject({ requestsUsd: expect.closeTo(5.4), monthlyUsd });
  // 127 files of 512 KiB and their headers fit into 64 MiB: 7875 chunks, a manifest and a record; 3 + 2 * 8 listings.
  expect(cost('archiver', files, 2 ** 19)).toMatchObject({
    objects: 7877,
    requests: { put: 7877, head: 0, list: 19 },
    requestsUsd: expect.closeTo(0.03948, 8),
  });
});

test('files larger than a chunk are cut', () => {
  // As an upload of ten files of 100,000,000 bytes did: 30 chunks.
  expect(cost('archiver', 10, 1e8)).toMatchObject({ objects: 32, requests: { put: 32, head: 0, list: 5 } });
});

test('parts of a cold object cost what they do in STANDARD, its completion what it does in the class', () => {
  // Two parts and a beginning at $0.005, a completion at $0.05 a thousand.
  expect(cost('aws-cli', 1, 9 * MIB, 'DEEP_ARCHIVE').requestsUsd).toBeCloseTo((3 * 0.005 + 0.05) / 1000, 9);
  // Not so elsewhere: all four at $0.01.
  expect(cost('aws-cli', 1, 9 * MIB, 'STANDARD_IA').requestsUsd).toBeCloseTo((4 * 0.01) / 1000, 9);
});

test('small objects are billed with the least size of their class', () => {
  // 1,000 objects of 1 KiB are 1,000 times 128 KiB in STANDARD_IA at $0.0125.
  expect(cost('s5cmd', 1000, 1024, 'STANDARD_IA').monthlyUsd).toBeCloseTo((1000 * 128 * 1024 * 0.0125) / 2 ** 30, 9);
});

test('only archiver has less to store for compression and equal content', () => {
  const workload = { files: 1000, bytes: 1000 * MIB };
  const stored = (tool: ToolName, compressionRatio: number, dedupRatio: number): number =>
    toolCost(tool, { ...workload, compressionRatio, dedupRatio }, 'STANDARD', prices).storedBytes;
  expect(stored('rclone', 4, 2)).toBe(1000 * MIB);
  expect(stored('archiver', 2, 1) / stored('archiver', 1, 1)).toBeCloseTo(0.5);
  expect(stored('archiver', 1, 4) / stored('archiver', 1, 1)).toBeCloseTo(0.25);
});

test('what is not known stays unknown', () => {
  const none = pricesIn('nowhere');
  const workload = { files: 10, bytes: 10, compressionRatio: 1, dedupRatio: 1 };
  for (const tool of TOOL_NAMES)
    expect(toolCost(tool, workload, 'STANDARD', none)).toMatchObject({
      requestsUsd: null,
      monthlyUsd: null,
      costUsd: null,
    });
});

test.each(TOOL_NAMES)('%s: more bytes never cost less', (tool) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 0, max: 1e9 }),
      fc.integer({ min: 0, max: 1e9 }),
      (files, a, b) => {
        const [less, more] = [cost(tool, files, Math.min(a, b)), cost(tool, files, Math.max(a, b))];
        expect(more.monthlyUsd! - less.monthlyUsd!).toBeGreaterThanOrEqual(-1e-9);
        expect(less.costUsd).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
