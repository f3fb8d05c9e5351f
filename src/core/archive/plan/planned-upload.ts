// Describes what an upload would do, for dry runs: the class of each path or why it is left out, and the objects that this makes. Lists are
// made while they are read: nothing is kept for a path but a byte for its class.
import type { StoredObject } from '../../cost/stored-object.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { ScanResult } from '../scan/scan.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { chunkSizeFor, targetBytes } from './chunk-plan.js';
import { tarBytes } from '../../format/tar/tar-block.js';
import type { Lane } from '../run/chunk-task.js';

/** How a file compares with the version before. */
export type Change = 'added' | 'modified' | 'unchanged';

export interface PlannedPath {
  readonly path: RawPath;
  /** `kept`: only its metadata is recorded, its content is stored already; `unchanged`: nothing is. */
  readonly state: 'included' | 'kept' | 'unchanged' | 'leftOut';
  readonly sizeBytes: number;
  /** Storage class, if the file is sent. */
  readonly storageClass?: string;
  /** Set if an earlier version is compared with. */
  readonly change?: Change;
  /** Why the path is left out: the rule, or what kind of file it is. */
  readonly reason?: string;
}

export interface PlannedClass {
  readonly storageClass: string;
  readonly files: number;
  /** Total size of these files; each name counts. */
  readonly bytes: number;
  readonly objects: number;
  /** Most bytes of these objects: their size before compression. */
  readonly packedBytes: number;
}

export interface PlannedUpload {
  readonly classes: readonly PlannedClass[];
  /** Entries of the listing. */
  readonly entries: number;
  /** The objects, with sizes before compression. */
  objects(): Iterable<StoredObject>;
  /** All files, archived or not, in path order; folders only if they are left out. */
  paths(): Iterable<PlannedPath>;
}

export interface PlannedInput {
  readonly table: EntryTable;
  readonly reasons: ScanResult['reasons'];
  readonly lanes: readonly Lane[];
  /** How a row compares with the version before; undefined if nothing is compared. */
  readonly changeOf?: ((index: number) => Change) | undefined;
}

/** Returns the plan as lists. */
export function plannedUpload(input: PlannedInput): PlannedUpload {
  const { table, lanes } = input;
  const names = [...new Set(lanes.flat().map(({ storageClass }) => storageClass))].sort();
  /** For each row, the position of its class in `names`, counting from 1. */
  const classOf = new Uint8Array(table.count);
  for (const { storageClass, entries } of lanes.flat())
    for (const index of entries) classOf[index] = names.indexOf(storageClass) + 1;
  const objects = (): Iterable<StoredObject> => objectsOf(lanes, table);
  return {
    classes: names.map((storageClass, position) => {
      const own = filesIn(table, classOf, position + 1);
      let [count, packedBytes] = [0, 0];
      for (const object of objects()) {
        if (object.storageClass !== storageClass) continue;
        count++;
        packedBytes += object.sizeBytes;
      }
      return { storageClass, ...own, objects: count, packedBytes };
    }),
    entries: table.count,
    objects,
    paths: () => pathsOf(input, (index) => names[(classOf[index] ?? 0) - 1]),
  };
}

const isFile = ({ columns }: EntryTable, index: number): boolean =>
  columns.kind[index] !== KIND.directory && columns.kind[index] !== KIND.dropped;

function filesIn(table: EntryTable, classOf: Uint8Array, wanted: number): { files: number; bytes: number } {
  let [files, bytes] = [0, 0];
  for (let index = 0; index < table.count; index++) {
    if (classOf[index] !== wanted || !isFile(table, index)) continue;
    files++;
    bytes += table.columns.size[index] ?? 0;
  }
  return { files, bytes };
}

/** Yields the objects of these lanes, with their sizes before compression. */
export function* objectsOf(lanes: readonly Lane[], { columns }: EntryTable): Generator<StoredObject> {
  for (const lane of lanes) {
    for (const { storageClass, rawBytes, direct = [] } of lane) {
      let rest = rawBytes;
      for (const { index } of direct) {
        const sizeBytes = columns.size[index] ?? 0;
        rest -= tarBytes(sizeBytes);
        yield { storageClass, sizeBytes };
      }
      yield { storageClass, sizeBytes: Math.max(0, rest) };
    }
  }
}

function* pathsOf(
  { table, reasons, changeOf }: PlannedInput,
  classOf: (index: number) => string | undefined,
): Generator<PlannedPath> {
  const { kind, status, size, link } = table.columns;
  for (let index = 0; index < table.count; index++) {
    const path = table.path(index);
    const sizeBytes = size[index] ?? 0;
    if (kind[index] === KIND.dropped) {
      // A dropped row without a reason has another row.
      const reason = reasons[(link[index] ?? 0) - 1];
      if (reason !== undefined) yield { path, state: 'leftOut', sizeBytes: 0, reason };
    } else if (kind[index] !== KIND.directory) {
      const change = changeOf === undefined ? {} : { change: changeOf(index) };
      const storageClass = classOf(index);
      if (storageClass !== undefined) yield { path, state: 'included', sizeBytes, storageClass, ...change };
      else yield { path, state: status[index] === STATUS.kept ? 'kept' : 'unchanged', sizeBytes, ...change };
    }
  }
}

/** Estimates what files that do not exist yet will become, in one class: `packedBytes` of tar streams over `shards`. */
export function roughlyPlanned(
  { storageClass, files, bytes, packedBytes }: Omit<PlannedClass, 'objects'>,
  shards: number,
): Pick<PlannedUpload, 'classes' | 'entries' | 'objects'> {
  const chunkBytes = chunkSizeFor(packedBytes, Number.POSITIVE_INFINITY, 1);
  const count = Math.ceil(packedBytes / targetBytes(packedBytes, shards, chunkBytes));
  return {
    classes: [{ storageClass, files, bytes, objects: count, packedBytes }],
    entries: files,
    objects: () => (count === 0 ? [] : [{ storageClass, sizeBytes: packedBytes / count, count }]),
  };
}
