// Checks of so many versions, and drills of so many files, that one document would be too large to be read.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drillChecks } from '../../../../src/commands/kit/drilled-checks.js';
import type { Check } from '../../../../src/core/dataset/checks/check-document.js';
import { placesIn } from '../../../../src/core/dataset/checks/content-place.js';
import { judgeChecks } from '../../../../src/core/dataset/checks/judge-checks.js';
import { putCheck } from '../../../../src/core/dataset/checks/put-check.js';
import { readTellingChecks } from '../../../../src/core/dataset/checks/read-checks.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { tempFolder } from '../../../support/temp-folder.js';

const signal = new AbortController().signal;
const idOf = (version: number) => asUploadId(`20251114-093012-${String(version).padStart(8, '0')}`);
const common = {
  datasetId: 'd',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:00.000Z',
  host: 'nas',
  tool: 'archiver',
  chunks: 1,
  chunksRead: 1,
  chunksCold: 0,
} as const;

test('failures of thousands of versions, each with its sentences, can be read again', async () => {
  const problem = '\u4e00'.repeat(300);
  const versions = Array.from({ length: 3000 }, (_, index) => ({
    version: index + 1,
    uploadId: idOf(index + 1),
    errorCount: 3,
    problems: [problem, problem, problem],
  }));
  const check: Check = { ...common, kind: 'deep', ok: false, checked: 'content', versions };
  const opened = await openStore(`file://${join(await tempFolder(), 'store')}`, { env: {} });

  await putCheck(opened.store, check, { randomBytes, signal });
  const { checks, warnings } = await readTellingChecks(opened.store, 'd', signal);
  opened.close();

  expect(warnings).toEqual([]);
  expect(judgeChecks(checks)(idOf(3000)).failure?.errorCount).toBe(3);
});

test('a drill in which very much comes back wrong names all of it, in records that can be read', () => {
  const places = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);
  const result = {
    ok: false,
    files: 100_000,
    bytes: 1,
    failed: [],
    proven: places(0, 70_000),
    disproven: places(1_000_000, 200_000),
    coverage: { days: 30, bytes: 1, ofBytes: 2, files: 1, ofFiles: 2 },
    uncheckedFiles: 0,
    coldFiles: 0,
    cold: [],
    chunksRead: 1,
    bytesFetched: 1,
  };
  const record = { datasetId: 'd', version: 1, uploadId: idOf(1), totals: { chunks: 1 } };

  const found = drillChecks(record as unknown as Parameters<typeof drillChecks>[0], result);

  expect(found.every(({ disproven }) => placesIn(disproven).size > 0 && (disproven?.length ?? 0) < 2 ** 20)).toBe(true);
  expect(new Set(found.flatMap(({ disproven }) => [...placesIn(disproven)])).size).toBe(200_000);
  expect(new Set(found.flatMap(({ proven }) => [...placesIn(proven)])).size).toBe(70_000);
});
