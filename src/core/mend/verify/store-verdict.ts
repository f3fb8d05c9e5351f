// What the check of a whole store finds.
import type { ColdCount } from './cold-chunks.js';
import type { Problem } from './problem.js';
import type { CheckedLevel, VerifyMode, VerifyResult } from './verify.js';
import { type VersionName } from '../../dataset/records/version-name.js';

/** `errors` and `warnings`: the first hundred. */
export type Verdict = Pick<VerifyResult, 'ok' | 'errors' | 'errorCount' | 'warnings' | 'hint' | 'files' | 'bytes'>;

export interface VersionVerdict extends Verdict, VersionName {
  /** Null where its record cannot be read. */
  readonly uploadId: string | null;
}

/** Of an upload that is no version of a dataset. */
export interface UploadVerdict extends Verdict, Looked {
  readonly uploadId: string;
  /** URL of the store that it is in. */
  readonly location: string;
}

/** Chunks that nothing before needs, how many of these were read, and which could not be. */
export interface Looked {
  readonly chunks: number;
  readonly chunksRead: number;
  /** Of those that were to be read; by class. */
  readonly unreadCold: readonly ColdCount[];
}

export interface DatasetVerdict extends Looked {
  readonly datasetId: string;
  /** URL of the store that it is in. */
  readonly location: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
}

export interface StoreVerdict extends Looked {
  readonly ok: boolean;
  readonly location: string;
  readonly mode: VerifyMode;
  readonly checked: CheckedLevel;
  /** Those of the store itself, then of those below it; in byte order of their ids. */
  readonly datasets: readonly DatasetVerdict[];
  readonly versions: number;
  readonly damagedVersions: number;
  /** No versions of a dataset. */
  readonly uploads: readonly UploadVerdict[];
  /** Folders of uploads that are not finished or marked for deletion, and of which no version needs anything: not looked at. */
  readonly uncheckedUploads: number;
  /** What lies beside datasets: no failure. */
  readonly warnings: readonly Problem[];
  /** False where not every folder below was looked into. */
  readonly isComplete: boolean;
  readonly filesRead: number;
  readonly bytesRead: number;
}
