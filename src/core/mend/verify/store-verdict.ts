// The result of checking a whole store.
import type { ColdCount } from './cold-chunks.js';
import type { Problem } from './problem.js';
import type { CheckedLevel, VerifyMode, VerifyResult } from './verify.js';
import { type VersionName } from '../../dataset/records/version-name.js';

/** `errors` and `warnings` have at most the first hundred. */
export type Verdict = Pick<VerifyResult, 'ok' | 'errors' | 'errorCount' | 'warnings' | 'hint' | 'files' | 'bytes'>;

export interface VersionVerdict extends Verdict, VersionName {
  /** Null when its record cannot be read. */
  readonly uploadId: string | null;
}

/** The result for an upload that is not a version of a dataset. */
export interface UploadVerdict extends Verdict, ReadCounts {
  readonly uploadId: string;
  /** URL of its store. */
  readonly location: string;
}

/** Counts of chunks that no version checked earlier needs, how many of these were read, and which could not be. */
export interface ReadCounts {
  readonly chunks: number;
  readonly chunksRead: number;
  /** Chunks that were to be read but lie in cold storage, by class. */
  readonly unreadCold: readonly ColdCount[];
}

export interface DatasetVerdict extends ReadCounts {
  readonly datasetId: string;
  /** URL of its store. */
  readonly location: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
}

export interface StoreVerdict extends ReadCounts {
  readonly ok: boolean;
  readonly location: string;
  readonly mode: VerifyMode;
  readonly checked: CheckedLevel;
  /** Datasets of the store itself, then of the stores below it; in byte order of their ids. */
  readonly datasets: readonly DatasetVerdict[];
  readonly versions: number;
  readonly damagedVersions: number;
  /** Uploads that are not versions of a dataset. */
  readonly uploads: readonly UploadVerdict[];
  /** Number of uploads that are unfinished or marked for deletion, and of which no version needs anything: they were not checked. */
  readonly uncheckedUploads: number;
  /** Stray objects beside datasets; not a failure. */
  readonly warnings: readonly Problem[];
  /** False when not every folder below was examined. */
  readonly isComplete: boolean;
  readonly filesRead: number;
  readonly bytesRead: number;
}
