// Counts the changes of a comparison, and keeps them for `--json` while they are few. Folders are counted apart: their times change
// whenever something in them does.
import { type Change, type DiffBatch, type DiffSide, diffViews } from './diff.js';
import { listedFile } from '../format/manifest/listed-file.js';
import { type Json, jsonOf } from '../platform/json/document.js';

/** Above this many, the changes are found by comparing again instead of being held in memory. */
const HELD = 20_000;

export interface Counts {
  readonly added: number;
  readonly deleted: number;
  readonly modified: number;
}

const entryOf = (change: Change) => (change.kind === 'deleted' ? change.before : change.after);

/** True if nothing but folders changed. */
export function isFolderChange(change: Change): boolean {
  const isFolder = entryOf(change).type === 'directory';
  return change.kind === 'modified' ? isFolder && change.before.type === 'directory' : isFolder;
}

function changeDocument(change: Change, from: DiffSide, to: DiffSide) {
  switch (change.kind) {
    case 'added':
      return { change: change.kind, ...listedFile(change.after, to.chunks) };
    case 'deleted':
      return { change: change.kind, ...listedFile(change.before, from.chunks) };
    case 'modified': {
      const { type, size, mtime, mode, uid, gid, md5, target } = listedFile(change.before, from.chunks);
      const before = { type, size, mtime, mode, uid, gid, md5, ...(target === undefined ? {} : { target }) };
      return {
        change: change.kind,
        what: change.what,
        differs: change.differs,
        ...listedFile(change.after, to.chunks),
        before,
      };
    }
    default:
      return change satisfies never;
  }
}

type ChangeJson = Json<ReturnType<typeof changeDocument>>;

export class DiffTally {
  readonly files = { added: 0, deleted: 0, modified: 0 };
  readonly folders = { added: 0, deleted: 0, modified: 0 };
  private readonly held: ChangeJson[] = [];
  private count = 0;

  constructor(
    private readonly from: DiffSide,
    private readonly to: DiffSide,
    /** Files that did not change: those that are in neither side, being the same, to begin with. */
    public unchanged = 0,
  ) {}

  /** Counts a batch, and keeps its changes of files while there are at most `HELD`. */
  add({ changes, unchanged }: DiffBatch): void {
    for (const change of changes) {
      if (isFolderChange(change)) this.folders[change.kind]++;
      else {
        this.files[change.kind]++;
        if (++this.count <= HELD) this.held.push(jsonOf(changeDocument(change, this.from, this.to)));
      }
    }
    for (const { type } of unchanged) if (type !== 'directory') this.unchanged++;
  }

  /** The changes of files as JSON documents. When there are too many to keep in memory, the views are compared again. */
  list(): Iterable<ChangeJson> | AsyncIterable<ChangeJson> {
    return this.count <= HELD ? this.held : this.again();
  }

  private async *again(): AsyncGenerator<ChangeJson> {
    for await (const { changes } of diffViews(this.from, this.to))
      for (const change of changes)
        if (!isFolderChange(change)) yield jsonOf(changeDocument(change, this.from, this.to));
  }
}
