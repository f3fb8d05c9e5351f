// Says how, and until when, a version that was retired comes back (rules.md#undelete).
import { printable } from '../../platform/paths/raw-path.js';
import { CHECK_VALID_MS } from '../check-references.js';
import { type VersionName, versionNumber } from './version-name.js';

/** Age at which a prune deletes what was marked, where nothing else is said. */
export const DEFAULT_GRACE_MS = 24 * 3_600_000;

/** The first moment at which it is refused: an hour of the grace is for putting the record. */
export const lastUndelete = (retiredAt: Date, graceMs: number): Date =>
  new Date(retiredAt.getTime() + graceMs - CHECK_VALID_MS);

/** The command that brings a version back. */
export const undeleteCommand = (baseUrl: string, datasetId: string, version: VersionName | 'N'): string =>
  `archiver dataset restore-version ${printable(baseUrl)} --dataset-id ${printable(datasetId)} --version ` +
  (version === 'N' ? version : versionNumber(version));
