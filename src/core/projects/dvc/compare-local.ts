// Compares local files with an upload, by content as DVC does: files of the same size are read and hashed, whatever their time is. Links to
// files are followed, because DVC replaces files with links to its cache.
import fs from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { systemCode } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import type { Listing } from '../../restore/listing/listing.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { displayPath, fsPath, type RawPath, TOP, pathBelow } from '../../platform/paths/raw-path.js';
import { progressMeter } from '../../events/progress-meter.js';
import { isInOwnFolder } from './untrackable.js';
import { ContentMd5 } from './content-md5.js';
import { failureReason } from '../../restore/output-tree/refusal.js';
import { isOfStage } from '../../format/manifest/provenance.js';

export interface CompareLocalOptions {
  readonly listing: Listing;
  /** Absolute path. */
  readonly folder: RawPath;
  /** Only files of this stage are compared. */
  readonly stage: string | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** `unknown`: the sizes are equal, but the manifest has no MD5. `failed`: it cannot be read. */
export type LocalState = 'modified' | 'missing' | 'unknown' | 'failed';

export interface Difference {
  /** Position in the listing. */
  readonly index: number;
  readonly state: LocalState;
  readonly reason: string;
}

export interface LocalComparison {
  /** Number of files that were compared. */
  readonly files: number;
  readonly unchanged: number;
  readonly differences: readonly Difference[];
}

/** Number of files after which other work gets its turn. */
const AT_ONCE = 200;

/** Compares everything but folders and what lies in those of git and DVC, in path order. @throws cancelled */
export async function compareLocal(options: CompareLocalOptions): Promise<LocalComparison> {
  const { listing, emit, signal } = options;
  const wanted = wantedFiles(options);
  const bytes = wanted.reduce((sum, index) => sum + listing.sizeBytes(index), 0);
  emit({ type: 'plan', items: wanted.length, bytes });
  emit({ type: 'phase', phase: 'comparing' });
  const meter = progressMeter(emit, (index) => displayPath(listing.path(index)));
  let hashed = 0;
  const comparer = new FileComparer(options, (count, index) => {
    hashed += count;
    meter.add(0, count, index);
  });
  const differences: Difference[] = [];
  for (const [position, index] of wanted.entries()) {
    hashed = 0;
    const difference = await comparer.compare(index);
    if (difference !== undefined) differences.push({ index, ...difference });
    meter.add(1, Math.max(0, listing.sizeBytes(index) - hashed), index); // also counts bytes that need not be read
    if (position % AT_ONCE !== 0) continue;
    throwIfCancelled(signal);
    await yieldToOthers();
  }
  meter.finish();
  return { files: wanted.length, unchanged: wanted.length - differences.length, differences };
}

function wantedFiles({ listing, stage }: CompareLocalOptions): readonly number[] {
  const wanted: number[] = [];
  for (let index = 0; index < listing.count; index++) {
    if (listing.type(index) === 'directory' || isInOwnFolder(listing.path(index))) continue;
    if (stage === undefined || isOfStage(listing.stage(index), stage)) wanted.push(index);
  }
  return wanted;
}

type Verdict = Omit<Difference, 'index'> | undefined;
const modified = (reason: string): Verdict => ({ state: 'modified', reason });

class FileComparer {
  private readonly md5: ContentMd5;

  constructor(
    private readonly options: CompareLocalOptions,
    private readonly onBytes: (bytes: number, index: number) => void,
  ) {
    this.md5 = new ContentMd5(options.signal);
  }

  /** Returns how the file differs; undefined when it does not. @throws cancelled */
  async compare(index: number): Promise<Verdict> {
    const { listing, folder } = this.options;
    const path = pathBelow(folder === '/' ? TOP : folder, listing.path(index));
    try {
      return listing.type(index) === 'symlink' ? this.compareLink(path, index) : await this.compareFile(path, index);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing', reason: 'it is not there' };
      return { state: 'failed', reason: failureReason(error) };
    }
  }

  private compareLink(path: RawPath, index: number): Verdict {
    if (!fs.lstatSync(fsPath(path)).isSymbolicLink()) return modified('it is no longer a symbolic link');
    const target: string = fs.readlinkSync(fsPath(path), { encoding: 'latin1' });
    return target === this.options.listing.extra(index)?.target ? undefined : modified('it leads elsewhere');
  }

  private async compareFile(path: RawPath, index: number): Promise<Verdict> {
    const { listing } = this.options;
    const stats = fs.statSync(fsPath(path));
    if (!stats.isFile()) return modified(stats.isDirectory() ? 'a folder is in its place' : 'it is no longer a file');
    if (stats.size !== listing.sizeBytes(index)) return modified('its size differs');
    const md5 = listing.md5(index);
    if (md5 === undefined) return { state: 'unknown', reason: 'its size is equal, and the manifest has no MD5' };
    const found = await this.md5.of(path, (bytes) => this.onBytes(bytes, index));
    return found === md5 ? undefined : modified('its content differs');
  }
}
