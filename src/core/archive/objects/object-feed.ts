// Fetches what chunks are packed of, a few chunks ahead of the packers, into a folder, and removes it when they have read it: what lies
// there is bounded by the chunks under way, not by the source. Pieces of a large object are fetched in order, since its MD5 runs through
// them; each is put in the place of the one before when its turn to be packed has come.
import { createHash, type Hash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { Slots } from '../../platform/limits/byte-budget.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import type { TaskFeed } from '../run/objects-to-read.js';
import { spoolName } from '../scan/spool-fs.js';
import type { ListedObject } from './listed-objects.js';
import { readObject } from './read-object.js';

interface FeedOptions {
  readonly reader: Pick<ObjectReader, 'get'>;
  readonly folder: string;
  readonly files: ReadonlyMap<RawPath, ListedObject>;
  readonly table: EntryTable;
  readonly lanes: readonly Lane[];
  /** Chunks that may lie in the folder, besides those that packers wait for. */
  readonly chunksAhead: number;
  readonly requests: Slots;
  readonly signal: AbortSignal;
}

/** What is known of a large object while its pieces are read. */
interface CutObject {
  readonly md5: Hash;
  /** The piece before. */
  before: Promise<void>;
  problem: string | undefined;
}

export class ObjectFeed implements TaskFeed {
  private readonly tasks: readonly ChunkTask[];
  private readonly held = new Map<ChunkTask, Promise<void>>();
  private readonly begun = new Set<ChunkTask>();
  private readonly cut = new Map<number, CutObject>();
  private next = 0;

  constructor(private readonly options: FeedOptions) {
    this.tasks = options.lanes.flat();
  }

  async ready(task: ChunkTask): Promise<void> {
    const fetching = this.fetch(task);
    this.fetchAhead();
    await fetching;
    if (task.part !== undefined) await rename(this.pieceFile(task), this.fileOf(task.entries[0] ?? 0));
  }

  async release(task: ChunkTask): Promise<void> {
    const rows = task.part === undefined ? this.filesOf(task) : task.entries.subarray(0, 1);
    for (const row of rows) await rm(this.fileOf(row), { force: true });
    this.held.delete(task);
    this.fetchAhead();
  }

  private fetchAhead(): void {
    const { chunksAhead, signal } = this.options;
    while (this.held.size < chunksAhead && this.next < this.tasks.length && !signal.aborted) {
      const task = this.tasks[this.next++];
      if (task !== undefined && !this.begun.has(task)) void this.fetch(task);
    }
  }

  private fetch(task: ChunkTask): Promise<void> {
    const found = this.held.get(task);
    if (found !== undefined) return found;
    const fetching = task.part === undefined ? this.fetchWhole(task) : this.fetchPiece(task, task.part);
    fetching.catch(() => undefined); // `ready` throws it
    this.begun.add(task);
    this.held.set(task, fetching);
    return fetching;
  }

  private async fetchWhole(task: ChunkTask): Promise<void> {
    const { status } = this.options.table.columns;
    const rows = this.filesOf(task).filter((row) => status[row] === STATUS.pending);
    await Promise.all([...rows].map(async (row) => void (await this.read(row, { file: this.fileOf(row) }))));
  }

  private async fetchPiece(task: ChunkTask, part: NonNullable<ChunkTask['part']>): Promise<void> {
    const [row = 0] = task.entries;
    const object = this.cut.get(row) ?? { md5: createHash('md5'), before: Promise.resolve(), problem: undefined };
    this.cut.set(row, object);
    const { before, md5 } = object;
    const range = { start: part.offset, end: part.offset + part.size };
    const file = this.pieceFile(task);
    const isLast = part.number === part.of;
    const fetching = before.then(async () => {
      // What was left out with its first pieces costs no further request, and its file says so again.
      object.problem = await this.read(row, { file, piece: { range, isLast, md5 }, problem: object.problem });
    });
    object.before = fetching;
    await fetching;
    if (isLast) this.cut.delete(row);
  }

  private async read(
    row: number,
    call: Pick<Parameters<typeof readObject>[0], 'file' | 'piece' | 'problem'>,
  ): Promise<string | undefined> {
    const { reader, files, table, requests, signal } = this.options;
    const object = files.get(table.path(row));
    if (object === undefined) throw new ArchiverError('internal', 'a file of the plan was not listed as an object');
    return await requests.run(async () => {
      signal.throwIfAborted();
      return await readObject({ reader, object, signal, ...call });
    });
  }

  private filesOf({ entries }: ChunkTask): Uint32Array {
    const { kind } = this.options.table.columns;
    return entries.filter((row) => kind[row] === KIND.file);
  }

  private fileOf(row: number): string {
    return join(this.options.folder, spoolName(this.options.table.path(row)));
  }

  private pieceFile({ chunk, entries, part }: ChunkTask): string {
    return `${this.fileOf(entries[0] ?? 0)}-${part?.number ?? 0}-${chunk}`;
  }
}
