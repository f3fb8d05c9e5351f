// What a version is, as data for programs.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { defined } from '../../platform/defined.js';
import type { VersionName } from './version-name.js';

/** Sizes are bytes. */
export interface VersionDocument extends VersionName {
  readonly uploadId: string;
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
}

/** Returns what the record of a version says of it. */
export const versionDocument = ({ version, fork, uploadId, createdAt, totals }: VersionRecord): VersionDocument => ({
  version,
  ...defined({ fork }),
  uploadId,
  createdAt,
  files: totals.files,
  bytes: totals.bytes,
});
