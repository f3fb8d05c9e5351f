// Checks that the upload holds what the archive held: every entry of the manifest is compared with what was extracted, and the other way
// round. Nothing may be missing or extra, and types, sizes, checksums, link targets and groups of hard links must match.
import type { Entry } from '../../format/manifest/manifest-types.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import type { ArchiveContents, Row } from './archive-contents.js';
import type { Losses } from './losses.js';

export interface ComparisonOptions {
  readonly contents: ArchiveContents;
  readonly linkedFiles: ReadonlySet<number>;
  /** True when owners were set during extraction, so that they must match. */
  readonly hasOwners: boolean;
  /** Number of fractional digits of a second that times keep. */
  readonly timeDigits: 6 | 9;
  readonly losses: Losses;
}

const SHOWN = 10;
const CLASS = { file: 'file', hardlink: 'file', directory: 'directory', symlink: 'symlink' } as const;

export class ManifestComparison {
  private readonly problems: string[] = [];
  private count = 0;
  private readonly groups = new Map<number, number | undefined>();

  constructor(private readonly options: ComparisonOptions) {}

  entry(entry: Entry): void {
    const row = this.options.contents.rows.get(entry.path);
    if (row === undefined) return this.problem(entry.path, 'is not in the archive');
    row.isUploaded = true;
    const difference = differenceOf(entry, row) ?? this.groupDifference(entry, row);
    if (difference !== undefined) this.problem(entry.path, difference);
    else if (!row.isImplied) this.compareMetadata(entry, row);
  }

  private groupDifference(entry: Entry, row: Row): string | undefined {
    if (!this.options.linkedFiles.has(row.file)) return undefined;
    const isFirst = !this.groups.has(row.file);
    const group = this.groups.get(row.file);
    this.groups.set(row.file, entry.linkGroup);
    return isFirst || (group !== undefined && group === entry.linkGroup) ? undefined : 'is no longer a hard link';
  }

  private compareMetadata(entry: Entry, row: Row): void {
    const { hasOwners, timeDigits, losses } = this.options;
    const nanos = timeDigits === 9 ? row.nanos : Math.floor(row.nanos / 1000) * 1000;
    if (entry.mtime.seconds !== row.seconds || entry.mtime.nanos !== nanos) losses.times++;
    if (row.kind !== 'symlink' && entry.mode !== row.mode) losses.modes++;
    if (hasOwners && (entry.uid !== row.uid || entry.gid !== row.gid)) losses.owners++;
  }

  private problem(path: RawPath, what: string): void {
    this.count++;
    if (this.problems.length < SHOWN) this.problems.push(`${displayPath(path)} ${what}`);
  }

  /** Reports missing members and returns the problems as text; undefined when there are none. */
  finish(): string | undefined {
    for (const [path, row] of this.options.contents.rows) {
      if (row.isUploaded !== true) this.problem(path, 'is missing');
    }
    if (this.count === 0) return undefined;
    const more = this.count > this.problems.length ? `; and ${this.count - this.problems.length} more` : '';
    return this.problems.join('; ') + more;
  }
}

function differenceOf(entry: Entry, row: Row): string | undefined {
  if (CLASS[entry.type] !== row.kind) return `is a ${entry.type}, and a ${row.kind} in the archive`;
  if (row.kind === 'symlink') return entry.target === row.target ? undefined : 'links to something else';
  if (row.kind === 'directory') return undefined;
  if (entry.size !== row.size) return `has ${entry.size} bytes, and ${row.size} in the archive`;
  return entry.md5 === row.md5 && entry.changed !== true ? undefined : 'has another content than in the archive';
}
