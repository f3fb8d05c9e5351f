// Looks whether all that a retired version needs is there, and whether no sweep can have any of it in hand (rules.md#undelete). A sweep looks at
// the records once a mark is older than the grace: while it is younger, every sweep that will execute it is yet to look. That the tombstone is
// young proves less: a sweep may have looked before a record that was put late, and has been retired again.
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';
import { loadChain, loadExpected } from '../../dataset/chain/load-chain.js';
import { markedKeys, markedUpload } from '../../dataset/marks.js';
import { MANIFESTS_AT_ONCE, referredChunks, referredSegments } from '../../dataset/prune/references.js';
import { isFenceFlag } from '../../format/manifest/fence-flag.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { printable } from '../../platform/paths/raw-path.js';
import { folderOfKey, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectInfo, ObjectStore } from '../../store/object-store.js';

export interface NeedsOptions {
  readonly uploadId: UploadId;
  /** What its manifest may be. */
  readonly expected: ExpectedDigests;
  /** By the store's clock: no mark may have been older than `youngMs` then; undefined where that is not asked. */
  readonly at: Date | undefined;
  readonly youngMs: number;
  readonly signal: AbortSignal;
}

export interface Needs {
  readonly manifest: LoadedManifest;
  readonly objects: number;
  readonly bytes: number;
  /** Objects of these that marks name: no later upload refers to them. */
  readonly markedObjects: number;
  /** Why the version cannot be relied on, as clauses; empty for one that can. */
  readonly problems: readonly string[];
}

interface Need {
  readonly key: string;
  /** Undefined for a manifest, whose digest was compared. */
  readonly sizeBytes: number | undefined;
}

/** Reads the chain as readers do, then lists every folder that it refers to. @throws what reading the chain throws; what the store throws */
export async function lookAtNeeds(store: ObjectStore, options: NeedsOptions): Promise<Needs> {
  const { uploadId, expected, at, youngMs, signal } = options;
  const isOld = ({ lastModified }: ObjectInfo): boolean =>
    at !== undefined && at.getTime() - lastModified.getTime() >= youngMs;
  const loading = { segments: 'beginnings', signal } as const;
  const manifest = await loadExpected(store, uploadId, expected, loading);
  const needs = needsOf(await loadChain(store, manifest, loading));
  const problems: string[] = [];
  let bytes = 0;
  let markedObjects = 0;
  await forEachLimit(
    listsByKey(needs, ({ key }) => folderOfKey(key)),
    MANIFESTS_AT_ONCE,
    async ([folder, its]) => {
      const objects = await listed(store, folder, signal);
      const marks = [...objects.values()].filter(({ key }) => markedUpload(key) !== undefined);
      const marked = await markedKeys(
        store,
        marks.filter((mark) => !isOld(mark)),
        signal,
      );
      const inHand = await markedKeys(store, marks.filter(isOld), signal);
      const flag = [...objects.values()].find(
        (object) => isFenceFlag(object.key) && at !== undefined && !isOld(object),
      );
      if (flag !== undefined) problems.push(`${flag.key} says that a prune is deleting there`);
      for (const { key, sizeBytes } of its) {
        const found = objects.get(key);
        const problem = problemOf(key, sizeBytes, found) ?? (isIn(inHand, key) ? marking(key) : undefined);
        if (problem !== undefined) problems.push(problem);
        if (isIn(marked, key) || isIn(inHand, key)) markedObjects += 1;
        bytes += found?.sizeBytes ?? 0;
      }
    },
  );
  return { manifest, objects: needs.length, bytes, markedObjects, problems };
}

function needsOf(chain: readonly LoadedManifest[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const link of chain) {
    needs.set(link.key, { key: link.key, sizeBytes: undefined });
    for (const object of [...referredSegments(link), ...referredChunks(link.uploadId, link.head.chunks)])
      needs.set(object.key, object);
  }
  return [...needs.values()];
}

async function listed(
  store: ObjectStore,
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ObjectInfo>> {
  const objects = new Map<string, ObjectInfo>();
  for await (const page of store.list({ prefix: folder, signal }))
    for (const object of page.objects) objects.set(object.key, object);
  return objects;
}

// A mark that cannot be read may name anything.
const isIn = (keys: ReadonlySet<string> | 'all', key: string): boolean => keys === 'all' || keys.has(key);

const marking = (key: string): string => `a prune marked ${printable(key)} so long ago that another may be deleting it`;

function problemOf(key: string, sizeBytes: number | undefined, found: ObjectInfo | undefined): string | undefined {
  if (found === undefined) return `${printable(key)} is gone`;
  if (sizeBytes === undefined || found.sizeBytes === sizeBytes) return undefined;
  return `${printable(key)} has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
}
