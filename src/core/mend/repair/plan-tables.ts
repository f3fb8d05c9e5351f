// The chunks of a version that many workers made: they lie in the folders of the attempts whose results count, and are read as if all lay in
// that of the plan. Their numbers go on from part to part.
import { listResults, readPlan, readResults } from '../../archive/parts/read-plan.js';
import { PLAN_KEY } from '../../dataset/attempts.js';
import { relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { PartResult } from '../../format/parts/part-documents.js';
import { planKey, resultsPrefix } from '../../format/parts/part-keys.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import { rawFromBase64, type RawPath } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import { fetchTables, type FetchTablesOptions, type FoundChunks } from './fetch-tables.js';
import { type FolderObjects, listFolder, withoutMarked } from './folder-objects.js';

/** The folder of a plan with those of its parts; any other as it is. @throws what the store throws */
export async function withParts(
  reader: ObjectReader,
  objects: FolderObjects,
  signal: AbortSignal,
): Promise<FolderObjects> {
  const { uploadId } = objects;
  if (!objects.others.includes(planKey(uploadId).slice(uploadFolder(uploadId).length))) return objects;
  // A damaged plan tells nobody which results are its own.
  const plan = await readPlan(reader, uploadId, signal).catch(undefinedOn('not-found', 'integrity', 'unsupported'));
  if (plan === undefined) return objects;
  const listed = await listResults(reader, resultsPrefix(uploadId), signal);
  const results = await readResults(reader, plan, listed, { signal, warn: () => undefined });
  const folders: FolderObjects[] = [];
  const leftOut = new Set<RawPath>();
  for (const [, ofPart] of results) {
    const [result, folder] = await firstWhole(reader, ofPart, signal);
    if (folder !== undefined) folders.push(folder);
    for (const { path, segment } of result?.shares ?? []) if (segment === undefined) leftOut.add(rawFromBase64(path));
  }
  return { ...objects, parts: { folders, leftOut } };
}

/** The first result all of whose chunks are there, as a commit takes it, or else the first. */
async function firstWhole(
  reader: ObjectReader,
  results: readonly PartResult[],
  signal: AbortSignal,
): Promise<readonly [PartResult, FolderObjects] | readonly []> {
  let first: readonly [PartResult, FolderObjects] | undefined;
  for (const result of results) {
    const folder = await listFolder(reader, result.uploadId, signal);
    const { totals, shares = [] } = result;
    const chunks = shares.reduce((sum, share) => sum + share.chunks, totals.chunks);
    if (withoutMarked(folder).chunks.length >= chunks) return [result, folder];
    first ??= [result, folder];
  }
  return first ?? [];
}

/** Reads the tables of the folder, and of the parts of a plan as if their chunks were its own. @throws what `fetchTables` throws */
export async function fetchAll(
  reader: ObjectReader,
  objects: FolderObjects,
  options: FetchTablesOptions,
): Promise<FoundChunks> {
  const own = await fetchTables(reader, objects, options);
  const { uploadId, parts } = objects;
  if (parts === undefined) return own;
  const all = [own];
  let next = after(own);
  for (const folder of parts.folders) {
    const found = movedTo(uploadId, folder, await fetchTables(reader, folder, options), next);
    all.push(found);
    next = Math.max(next, after(found));
  }
  return {
    chunks: all.flatMap(({ chunks }) => chunks).filter((chunk) => !isPieceOf(chunk, parts.leftOut)),
    bad: all.flatMap(({ bad }) => bad),
    missing: all.flatMap(({ missing }) => missing),
    others: own.others.filter((key) => !PLAN_KEY.test(key)),
  };
}

/** The number after the highest. */
const after = ({ chunks, missing }: FoundChunks): number =>
  [...chunks.map(({ table }) => table.chunk), ...missing].reduce((most, number) => Math.max(most, number + 1), 0);

function movedTo(
  uploadId: FolderObjects['uploadId'],
  { uploadId: from }: FolderObjects,
  { chunks, bad, missing, others }: FoundChunks,
  by: number,
): FoundChunks {
  const keyOf = (key: string): string => relativeChunkKey(uploadId, uploadFolder(from) + key);
  return {
    chunks: chunks.map((chunk) => ({
      ...chunk,
      key: keyOf(chunk.key),
      number: chunk.table.chunk,
      table: { ...chunk.table, chunk: chunk.table.chunk + by },
    })),
    bad: bad.map((one) => ({ ...one, key: keyOf(one.key) })),
    missing: missing.map((number) => number + by),
    others,
  };
}

const isPieceOf = ({ table: { part, first } }: FoundChunks['chunks'][number], paths: ReadonlySet<RawPath>): boolean =>
  part !== undefined && first !== undefined && paths.has(first.path);
