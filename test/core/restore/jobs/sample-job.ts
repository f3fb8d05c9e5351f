import type { JobChunk, JobChunkState, RestoreJobFields } from '../../../../src/core/restore/jobs/restore-job.js';
import { asUploadId } from '../../../support/as-upload-id.js';

export const HOST = 'here';
export const CREATED = '2026-03-04T05:06:07.000Z';

/** A chunk of the sample upload. */
export const chunk = (number: number, state: JobChunkState, more: Partial<JobChunk> = {}): JobChunk => ({
  key: `uploads/20260301-000000-01020304/shard-00/chunk-00000${number}.tar.zst`,
  sizeBytes: 1000,
  storageClass: 'GLACIER',
  state,
  ...more,
});

/** What a job may be made of. */
export const jobFields = (more: Partial<RestoreJobFields> = {}): RestoreJobFields => ({
  location: { baseUrl: 's3://bucket/lab', uploadId: asUploadId('20260301-000000-01020304') },
  region: 'eu-central-1',
  profile: 'lab',
  outputDir: '/out/put',
  selectors: { files: ['a', 'b/ö'], md5s: ['9e107d9d372bb6826bd81d3542a419d6'], shards: [1, 2] },
  flatten: false,
  verify: true,
  overwrite: 'if-changed',
  keepSpecialBits: false,
  tier: 'standard',
  restoreDays: 7,
  chunks: [chunk(0, 'thawing'), chunk(1, 'readable')],
  files: 2,
  bytes: 4000,
  estimatedCostUsd: 0.02,
  createdAt: CREATED,
  ...more,
});
