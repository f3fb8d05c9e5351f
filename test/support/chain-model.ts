// Random histories of a dataset with what each version must look like, kept the plain way: a Map from path to the newest
// mention, changed mention by mention. Nothing of src/core/dataset is used.
import * as fc from 'fast-check';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';
import type { ChunkRecord, Entry, EntryType, Mention } from '../../src/core/format/manifest/manifest-types.js';
import { raw } from './raw.js';
import { asUploadId } from './as-upload-id.js';

export interface HistoryLevel {
  readonly uploadId: UploadId;
  readonly chunks: readonly ChunkRecord[];
  /** In path order. */
  readonly mentions: readonly Mention[];
}

export interface Version {
  readonly level: HistoryLevel;
  /** What the view of this version must be: path to entry and the level that it comes from. */
  readonly view: ReadonlyMap<string, { readonly entry: Entry; readonly level: HistoryLevel }>;
}

/** Names that sort between a folder and what is in it, below and above it, and one that is not UTF-8. */
const NAMES = ['d', 'd-x', 'd.', 'd!', 'd0', 'a', '\xff', 'é'.normalize('NFD')].map((name) =>
  Buffer.from(name, name === '\xff' ? 'latin1' : 'utf8').toString('latin1'),
);

type Change =
  | {
      readonly kind: 'put';
      readonly path: string;
      readonly type: EntryType;
      readonly chunk: number;
      readonly group: number;
    }
  | { readonly kind: 'delete'; readonly path: string };

const pathOf = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const put = fc.record({
  kind: fc.constant('put' as const),
  path: pathOf,
  type: fc.constantFrom<EntryType>('file', 'file', 'directory', 'symlink', 'hardlink'),
  chunk: fc.nat(3),
  group: fc.nat(2),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: put },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), path: pathOf }) },
);

export const uploadIdOf = (version: number): UploadId =>
  asUploadId(`20260101-000000-${String(version).padStart(8, '0')}`);

export const chunkOf = (key: string, chunk: number): ChunkRecord => ({
  chunk,
  key,
  shard: chunk % 2,
  size: 10 + chunk,
  rawSize: 1e9,
  entries: 1,
  level: 3,
  storageClass: 'STANDARD',
  sha256: String(chunk).padStart(64, '0'),
  tocSize: 2,
  frames: [{ size: 8 + chunk, rawSize: 1e9, sha256: 'f'.repeat(64) }],
});

/** Three chunks of its own, one of the version before. */
function chunksOf(version: number): ChunkRecord[] {
  const own = [0, 1, 2].map((chunk) => chunkOf(`shard-0${chunk % 2}/chunk-00000${chunk}.tar.zst`, chunk));
  const before =
    version === 0 ? [] : [{ ...chunkOf('', 1), key: `../${uploadIdOf(version - 1)}/shard-01/chunk-000001.tar.zst` }];
  return [...own, ...before];
}

type Tree = Map<string, { readonly entry: Entry; readonly level: HistoryLevel }>;

const removeBelow = (tree: Tree, path: string): void => {
  for (const known of tree.keys()) if (known.startsWith(`${path}/`)) tree.delete(known);
};

/** What differs: later changes win, folders above what is put are mentioned where they are not folders already. */
function mentionsOf(changes: readonly Change[], tree: Tree, version: number): Map<string, Mention> {
  const mentions = new Map<string, Mention>();
  const isFolder = (path: string): boolean => (mentions.get(path) ?? tree.get(path)?.entry)?.type === 'directory';
  const chunks = chunksOf(version).length;
  for (const each of changes) {
    for (const known of mentions.keys()) if (known.startsWith(`${each.path}/`)) mentions.delete(known);
    if (each.kind === 'delete') {
      mentions.set(each.path, { path: raw(each.path), type: 'deleted' });
      continue;
    }
    for (let slash = each.path.indexOf('/'); slash > 0; slash = each.path.indexOf('/', slash + 1)) {
      const parent = each.path.slice(0, slash);
      if (!isFolder(parent))
        mentions.set(parent, entryOf({ ...each, path: parent, type: 'directory' }, version, chunks));
    }
    mentions.set(each.path, entryOf(each, version, chunks));
  }
  return mentions;
}

function entryOf(change: Change & { kind: 'put' }, version: number, chunks: number): Entry {
  const { path, type, group } = change;
  const chunk = change.chunk % chunks;
  const hasContent = type === 'file' || type === 'hardlink';
  const cut = hasContent && path.length % 3 === 0;
  return {
    path: raw(path),
    type,
    mode: 0o644,
    uid: version,
    gid: 0,
    inode: raw(String(version)),
    size: hasContent ? 7 : 0,
    mtime: { seconds: version, nanos: 1 },
    ctime: { seconds: version, nanos: 2 },
    ...(cut
      ? {
          segments: [
            { chunk, offset: 0, size: 3 },
            { chunk: (chunk + 1) % chunks, offset: 0, size: 4 },
          ],
        }
      : { chunk }),
    ...(hasContent && !cut ? { offset: 512 } : {}),
    ...(hasContent && group > 0 ? { linkGroup: group } : {}),
    ...(type === 'symlink' ? { target: raw(`to-${version}`) } : {}),
  };
}

function nextVersion(tree: Tree, changes: readonly Change[], version: number): Version {
  const mentions = mentionsOf(changes, tree, version);
  const isFull = version === 0;
  const sorted = [...mentions.values()]
    .filter(({ type }) => !isFull || type !== 'deleted')
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const level: HistoryLevel = { uploadId: uploadIdOf(version), chunks: chunksOf(version), mentions: sorted };
  for (const mention of sorted) if (mention.type !== 'directory') removeBelow(tree, mention.path);
  for (const mention of sorted) {
    if (mention.type === 'deleted') tree.delete(mention.path);
    else tree.set(mention.path, { entry: mention, level });
  }
  return { level, view: new Map(tree) };
}

/** Versions of one dataset, oldest first; the first is a full listing. */
export const histories: fc.Arbitrary<readonly Version[]> = fc
  .array(fc.array(change, { maxLength: 8 }), { minLength: 1, maxLength: 6 })
  .map((all) => {
    const tree: Tree = new Map();
    return all.map((changes, version) => nextVersion(tree, changes, version));
  });
