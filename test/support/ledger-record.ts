import { randomBytes } from 'node:crypto';
import type { LedgerRecord } from '../../src/core/money/ledger/record.js';

/** A record of an upload of 1 GiB to AWS, with what is said otherwise. */
export const ledgerRecord = (own: Partial<LedgerRecord> = {}): LedgerRecord => ({
  id: randomBytes(8).toString('hex'),
  time: '2026-03-04T12:00:00.000Z',
  operation: 'upload',
  outcome: 'done',
  project: 'genome',
  datasetId: 'run-0412',
  uploadId: '20260304-120000-01020304',
  writerId: null,
  gitCommit: null,
  dvcStage: null,
  store: 's3://lab/archive',
  provider: 'aws',
  region: 'us-west-2',
  files: 10,
  bytes: 2 ** 30,
  used: [{ kind: 'put', storageClass: 'STANDARD', quantity: 34 }],
  stored: [{ storageClass: 'STANDARD', objects: 34, bytes: 2 ** 30, billedBytes: 2 ** 30 }],
  sent: null,
  lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 34, costMicros: 170 }],
  costMicros: 170,
  monthlyMicros: 23_000,
  pricesOf: '2026-02-28',
  ...own,
});
