// Sums of folders from a stream of entries in path order, which need not be kept: those of large folders. A smaller one is read when its sum
// is wanted, so that a listing of any length takes little memory.
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import { bytesOf, type RawPath, rawFromBytes, TOP } from '../../platform/paths/raw-path.js';
import { isColdClass } from '../../store/cold-class.js';

export interface FolderSum {
  /** Everything but folders. */
  readonly files: number;
  readonly bytes: number;
  /** Files with content that must be restored from cold storage, as far as the manifest knows. */
  readonly coldFiles: number;
  /** Modification time of the newest file, in seconds since 1970; undefined when there is no file. */
  readonly newest: number | undefined;
}

type Growing = { -readonly [K in keyof FolderSum]: FolderSum[K] };

/** Files of a folder whose sum is kept: a block of a manifest has eight times as many, and only such folders are passed over. */
const LEAST_FILES = 512;

/** A part of a string keeps all of it in memory, here the text that a path was read from. */
const copied = (text: RawPath): RawPath => rawFromBytes(bytesOf(text));

const nothing = (): Growing => ({ files: 0, bytes: 0, coldFiles: 0, newest: undefined });

export class FolderSums {
  private readonly known = new Map<RawPath, FolderSum>();
  /** Folders whose entries are coming, from the top down, each with a slash at its end. */
  private open: { readonly start: string; readonly sum: Growing }[] = [];
  private cold: readonly boolean[] = [];

  /** Whether all entries have come. */
  isDone = false;

  /** The sum of a folder; undefined until all of it has come, and for a small one. */
  of(folder: RawPath): FolderSum | undefined {
    return this.known.get(folder);
  }

  /** Call before the first entry; `chunks` are those that entries refer to. */
  begin(chunks: readonly ChunkRecord[]): void {
    this.cold = chunks.map(({ storageClass }) => isColdClass(storageClass));
    this.open = [{ start: TOP, sum: nothing() }];
  }

  /** Takes the next entry. */
  add({ path, type, size, mtime, chunk, segments }: Entry): void {
    while (!path.startsWith(this.open.at(-1)?.start ?? TOP)) this.close();
    for (let slash; (slash = path.indexOf('/', this.open.at(-1)?.start.length ?? 0)) >= 0;)
      this.open.push({ start: copied(path.slice(0, slash + 1)), sum: nothing() });
    const sum = this.open.at(-1)?.sum;
    if (sum === undefined || type === 'directory') return;
    const isCold = size > 0 && (segments?.some((part) => this.cold[part.chunk]) ?? this.cold[chunk ?? -1] === true);
    addTo(sum, { files: 1, bytes: size, coldFiles: isCold ? 1 : 0, newest: mtime.seconds });
  }

  /** Call after the last entry. */
  finish(): void {
    while (this.open.length > 0) this.close();
    this.isDone = true;
  }

  private close(): void {
    const { start = TOP, sum = nothing() } = this.open.pop() ?? {};
    if (sum.files >= LEAST_FILES) this.known.set(start.slice(0, -1) as RawPath, sum);
    const above = this.open.at(-1)?.sum;
    if (above !== undefined) addTo(above, sum);
  }
}

function addTo(sum: Growing, { files, bytes, coldFiles, newest = -Infinity }: FolderSum): void {
  sum.files += files;
  sum.bytes += bytes;
  sum.coldFiles += coldFiles;
  if (files > 0) sum.newest = Math.max(sum.newest ?? -Infinity, newest);
}
