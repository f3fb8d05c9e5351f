// What is saved on this computer between calls: uploads that can be resumed, and restores that wait for cold storage.
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

/** Files that belong to nothing and are younger may be of something that is just being written. */
export const ORPHAN_MS = 3_600_000;

/** True for what was read and cannot be used. What could not be read may be sound: nobody removes it. */
export const isDamaged = ({ problem }: { readonly problem: ArchiverError | undefined }): boolean =>
  isArchiverError(problem, 'integrity', 'unsupported');

export interface Saved {
  readonly id: string;
  /** `upload`, `restore job` */
  readonly noun: string;
  readonly folder: string;
  readonly ids: () => Promise<readonly string[]>;
  /** Command that goes on with the one that is meant, or lists all. */
  readonly hint: (near: string | undefined) => string;
}

/** Reads what has an id; an unknown id is answered with the nearest one. @throws what `read` throws; not-found with a hint */
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
  /** What was removed, or would be: id, status, where it is. */
  readonly removed: readonly { readonly id: string; readonly status: string; readonly url: string | undefined }[];
  readonly kept: number;
  /** Files of processes that were killed while they wrote. */
  readonly orphans: number;
}

/** What a clean-up did, as text. `tail`: lines after it. */
export function removalText({ noun, dryRun, removed, kept, orphans }: Removal, tail: readonly string[] = []): string {
  const what = formatQuantity(removed.length, noun);
  const head = dryRun ? `Would remove ${what}, keep ${kept}.` : `Removed ${what}, kept ${kept}.`;
  const lines = removed.map(({ id, status, url = '' }) => printable(`  ${id}  ${status}  ${url}`.trimEnd()));
  const left = `  and ${formatQuantity(orphans, 'file')} that killed processes left`;
  return textOf([head, ...lines, ...(orphans === 0 ? [] : [left]), ...tail]);
}
