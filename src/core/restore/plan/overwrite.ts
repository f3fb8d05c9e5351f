// Decides what happens to existing files. Pure.
import type { EntryType, Timestamp } from '../../format/manifest/manifest-types.js';
import { isSameTime, type Present } from '../output-tree/output-tree.js';

export const OVERWRITE_POLICIES = ['always', 'if-newer', 'if-changed', 'never'] as const;
/**
 * `if-changed` (the default) keeps a file whose size and modification time are those of the archive; `always`
 * writes it again; `if-newer` replaces only what is older than the archive; `never` replaces nothing.
 */
export type OverwritePolicy = (typeof OVERWRITE_POLICIES)[number];

export interface Incoming {
  readonly type: EntryType;
  /** Bytes of the file, or of a link's target. */
  readonly size: number;
  readonly mtime: Timestamp;
}

export type Decision = 'write' | 'unchanged' | 'skip' | { readonly refused: string };

const isOlder = (present: Present, { mtime }: Incoming): boolean =>
  present.mtimeSeconds < mtime.seconds || (present.mtimeSeconds === mtime.seconds && present.mtimeNanos < mtime.nanos);

/** Decides what to do with a path where `present` exists. A file never replaces a folder, nor a folder a file. */
export function decideOverwrite(
  policy: OverwritePolicy,
  incoming: Incoming,
  present: Present | undefined,
  timeDigits: 6 | 9,
): Decision {
  if (present === undefined) return 'write';
  if (incoming.type === 'directory') {
    return present.kind === 'directory'
      ? 'write'
      : { refused: 'refused: something that is not a folder is in its place' };
  }
  if (present.kind === 'directory')
    return { refused: 'refused: a folder is in its place, and folders are never replaced by files' };
  if (policy === 'always') return 'write';
  if (policy === 'never') return 'skip';
  const kind = incoming.type === 'symlink' ? 'symlink' : 'file';
  if (present.kind === kind && present.size === incoming.size && isSameTime(present, incoming.mtime, timeDigits))
    return 'unchanged';
  return policy === 'if-changed' || isOlder(present, incoming) ? 'write' : 'skip';
}
