// Things that are saved on this computer between calls: uploads that can be resumed, and restores that wait for cold storage.
import { join } from 'node:path';
import type { Places } from '../../cli/context.js';
import { suggest } from '../../core/platform/text/suggest.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { didYouMean, textOf } from './lines.js';

type Home = Pick<Places, 'home'>;

/** The folder of saved uploads. */
export const stateFolder = ({ home }: Home): string => join(home, 'state');

/** The folder of restore jobs. */
export const jobFolder = ({ home }: Home): string => join(home, 'restore-jobs');

/** Age (in ms) up to which a file without an owner may be one that is just being written. */
export const ORPHAN_MS = 3_600_000;

/** True for a file that was read and cannot be used. One that could not be read may be sound: it is never removed. */
export const isDamaged = ({ problem }: { readonly problem: ArchiverError | undefined }): boolean =>
  isArchiverError(problem, 'integrity', 'unsupported');

export interface Saved {
  readonly id: string;
  /** `upload` or `restore job`. */
  readonly noun: string;
  readonly folder: string;
  readonly ids: () => Promise<readonly string[]>;
  /** Returns the command that continues the nearest one, or lists all. */
  readonly hint: (near: string | undefined) => string;
}

/** Reads what has an id; for an unknown id the error suggests the nearest one. @throws what `read` throws; not-found with a hint */
export async function readSaved<T>({ id, noun, folder, ids, hint }: Saved, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    const near = suggest(id, await ids());
    const message = `no ${noun} ${printable(id)} is saved in ${printable(folder)}${didYouMean(near)}`;
    throw new ArchiverError('not-found', message, { cause: error, hint: hint(near) });
  }
}

export interface Removal {
  readonly noun: string;
  readonly dryRun: boolean;
  /** Things that were removed, or in a dry run would be. */
  readonly removed: readonly { readonly id: string; readonly status: string; readonly url: string | undefined }[];
  readonly kept: number;
  /** Number of files that processes left when they were killed while writing. */
  readonly orphans: number;
}

/** The text about a clean-up. `tail` is added below it. */
export function removalText({ noun, dryRun, removed, kept, orphans }: Removal, tail: readonly string[] = []): string {
  const what = formatQuantity(removed.length, noun);
  const head = dryRun ? `Would remove ${what}, keep ${kept}.` : `Removed ${what}, kept ${kept}.`;
  const lines = removed.map(({ id, status, url = '' }) => printable(`  ${id}  ${status}  ${url}`.trimEnd()));
  const left = `  and ${formatQuantity(orphans, 'file')} that killed processes left`;
  return textOf([head, ...lines, ...(orphans === 0 ? [] : [left]), ...tail]);
}
