// An upload as this computer keeps it.
import type { UploadState } from '../../../../src/core/archive/resume/upload-state.js';
import { asUploadId } from '../../../support/as-upload-id.js';

export const SAMPLE_ID = asUploadId('20260304-050607-01020304');
export const SAMPLE_STATE: UploadState = {
  uploadId: SAMPLE_ID,
  uploadIds: [SAMPLE_ID],
  command: 'upload',
  sources: ['/data/x'],
  sourceKey: 'L2RhdGEveA==',
  destination: 'file:///store',
  storeUrl: 'file:///store',
  flags: { tag: { '10': 'a', '9': 'b', é: 'ü' }, exclude: ['*.tmp'] },
  origins: { exclude: 'flag' },
  datasetId: 'x-12345678',
  status: 'transferring',
  createdAt: '2026-03-04T05:06:07.000Z',
  startedAt: '2026-03-04T05:06:07.000Z',
  updatedAt: '2026-03-04T05:06:09.000Z',
  totals: { files: 3, bytes: 30 },
  found: { files: 0, bytes: 0 },
  done: { files: 1, bytes: 10, chunks: 1, storedBytes: 9 },
  plan: { chunkBytes: 1, shards: 4, frameBytes: 0, level: null, chunks: 4 },
};
