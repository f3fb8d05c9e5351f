// Reads a plan, the lists and results of its parts.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError, isArchiverError, usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import {
  type PartResult,
  type PlanHead,
  type PlannedPart,
  readPlanHead,
  readResult,
} from '../../format/parts/part-documents.js';
import { partOfResult, planKey, resultsPrefix } from '../../format/parts/part-keys.js';

const MAX_PLAN_BYTES = 256 * 1024 * 1024;
const MAX_LIST_BYTES = 2 ** 31 - 1;
const MAX_RESULT_BYTES = 64 * 1024 * 1024;
const READS_AT_ONCE = 16;

/** A plan that was read, and the digest of its stored bytes. */
export interface ReadPlan {
  readonly uploadId: UploadId;
  readonly head: PlanHead;
  readonly sha256: string;
}

/** Reads a plan. @throws not-found where there is none; integrity, unsupported; what the store throws */
export async function readPlan(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<ReadPlan> {
  const key = planKey(uploadId);
  const what = `the plan ${printable(key)}`;
  const stored = await bytesOf(reader, key, MAX_PLAN_BYTES, signal).catch((error: unknown) => {
    if (!isArchiverError(error, 'not-found')) throw error;
    const place = printable(uploadUrlOf(reader.url, uploadId));
    throw new ArchiverError('not-found', `${place} is no plan: it has no plan.json.gz`, {
      cause: error,
      hint: '`archiver plan` prints the URL of the plan that it makes',
    });
  });
  const head = readPlanHead(stored, what);
  if (head.uploadId !== uploadId) throw integrityError(`${what} belongs to another upload`);
  if (head.parts.some(({ part }, position) => part !== position) || head.parts.length === 0)
    throw integrityError(`${what} does not number its parts from 0 on`);
  return { uploadId, head, sha256: hash('sha256', stored, 'hex') };
}

/** Returns a part of a plan. @throws usage for a number that it does not have */
export function partOf({ head: { parts } }: ReadPlan, part: number): PlannedPart {
  const found = parts[part];
  if (found !== undefined) return found;
  const count = parts.length === 1 ? 'one part, 0' : `parts 0 to ${parts.length - 1}`;
  throw usageError(`the plan has no part ${part}: it has ${count}`);
}

/** Reads the list of a part as it is stored. @throws integrity unless it is the one that the plan names */
export const readPartList = async (
  reader: ObjectReader,
  { uploadId }: ReadPlan,
  part: PlannedPart,
  signal: AbortSignal,
): Promise<NamedBytes> => await readNamed(reader, uploadFolder(uploadId), part, signal);

/** Reads what a plan changes without packing it, a delta as it is stored. @throws integrity unless it is the one that the plan names */
export async function readChanges(
  reader: ObjectReader,
  { uploadId, head }: ReadPlan,
  signal: AbortSignal,
): Promise<Buffer> {
  if (head.base === undefined) throw new ArchiverError('internal', `the plan ${uploadId} builds on nothing`);
  return (await readNamed(reader, uploadFolder(uploadId), head.base, signal)).bytes;
}

interface NamedBytes {
  readonly bytes: Buffer;
  readonly name: string;
}

async function readNamed(
  reader: ObjectReader,
  folder: string,
  { key, size, sha256 }: Pick<PlannedPart, 'key' | 'size' | 'sha256'>,
  signal: AbortSignal,
): Promise<NamedBytes> {
  const full = folder + key;
  const name = `the list ${printable(full)}`;
  const bytes = await bytesOf(reader, full, Math.min(size, MAX_LIST_BYTES), signal);
  if (bytes.length !== size || hash('sha256', bytes, 'hex') !== sha256)
    throw integrityError(`${name} is not the one that its plan names`);
  return { bytes, name };
}

/** A result as it was found. */
export interface FoundResult extends PartResult {
  readonly key: string;
}

/** The objects that are results of parts of a plan, or of one of its parts. One LIST. */
export async function listResults(
  reader: ObjectReader,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly ObjectInfo[]> {
  const objects: ObjectInfo[] = [];
  for await (const page of reader.list({ prefix, signal }))
    objects.push(...page.objects.filter(({ key }) => partOfResult(key) !== undefined));
  return objects;
}

/**
 * Reads results. For each part, in order, those of this plan, the first attempt first: that of the lowest id counts, if it is whole. One that is
 * damaged or of another plan counts for nothing, and is warned of.
 */
export async function readResults(
  reader: ObjectReader,
  plan: ReadPlan,
  objects: readonly Pick<ObjectInfo, 'key'>[],
  { signal, warn }: { readonly signal: AbortSignal; readonly warn: (text: string) => void },
): Promise<ReadonlyMap<number, readonly FoundResult[]>> {
  const found = new Map<number, FoundResult[]>();
  await forEachLimit(objects, READS_AT_ONCE, async ({ key }) => {
    const what = `the result ${printable(key)}`;
    try {
      const result = readResult(await bytesOf(reader, key, MAX_RESULT_BYTES, signal), what);
      const isOurs =
        result.plan === plan.uploadId && result.planSha256 === plan.sha256 && result.part === partOfResult(key);
      if (!isOurs) throw integrityError(`${what} is that of another plan`);
      found.set(result.part, [...(found.get(result.part) ?? []), { ...result, key }]);
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'not-found')) throw error;
      warn(`${error.message}: it counts for nothing`);
    }
  });
  const inOrder = [...found].toSorted(([a], [b]) => a - b);
  return new Map(
    inOrder.map(([part, results]) => [part, results.toSorted((a, b) => (a.uploadId < b.uploadId ? -1 : 1))]),
  );
}

/** Prefix of the results of one part. */
export const resultsOfPart = (plan: UploadId, part: number): string =>
  `${resultsPrefix(plan)}${String(part).padStart(6, '0')}.`;

async function bytesOf(reader: ObjectReader, key: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  return await readAll(await reader.get(key, { signal }), maxBytes);
}
