// What kinds of selectors have in common (selector-kinds.ts has them).
import { printable, type RawPath } from '../../platform/paths/raw-path.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import type { Entry, ManifestHead } from './manifest-types.js';
import type { PathRange } from './path-range.js';

/** Of what could not be read as an entry, the size is not known. */
export type Matched = Pick<Entry, 'path' | 'md5' | 'type' | 'stage' | 'commit'> & Partial<Pick<Entry, 'size'>>;

/** Properties that a manifest states for all its entries. */
export type Recorded = Pick<ManifestHead, 'git' | 'dvc' | 'settings'>;

/** What to do where an upload has not recorded what is searched for. */
export const INSTEAD = 'select by --file or --pattern';

/** Selectors of one kind. */
export interface Kind {
  /** Name in the message about a conflict. */
  readonly text: string;
  begin?(head: Recorded): void;
  matches(entry: Matched, shard: number | undefined): boolean;
  /** Byte strings, one of which the line must contain; undefined when there are none that would do. */
  readonly needles: readonly RawPath[] | undefined;
  /** Where everything that matches is, with the folders above; undefined or absent when it may be anywhere. */
  readonly ranges?: readonly PathRange[] | undefined;
  /** The selectors that match nothing, and why. */
  unmatched(): readonly Failure[];
}

const NAMED = 3;

/** The selectors of a kind in words. */
export function kindText(noun: string, plural: string, texts: readonly string[]): string {
  const more = texts.length > NAMED ? ` and ${texts.length - NAMED} more` : '';
  return `${texts.length === 1 ? noun : plural} ${texts.slice(0, NAMED).map(printable).join(', ')}${more}`;
}
