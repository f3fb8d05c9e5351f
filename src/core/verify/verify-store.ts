// Is every version of every dataset in a store whole? Objects are listed once for all versions, and a chunk is read with the
// oldest version that needs it. What is held is the keys and sizes of objects, and one version at a time.
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import { listAllVersions, type ListedVersion, readVersions } from '../dataset/records/versions.js';
import { progressMeter } from '../progress-meter.js';
import { printable } from '../paths/raw-path.js';
import type { ObjectReader } from '../object-store/object-store.js';
import {
  type CheckedLevel,
  levelOf,
  type SharedLook,
  type VerifyMode,
  type VerifyOptions,
  type VerifyResult,
  verifyVersion,
} from './verify.js';

/** Of one version; a version that is damaged everywhere must not fill the memory. */
const MAX_NAMED = 100;

export type VerifyStoreOptions = Omit<VerifyOptions, 'uploadId'>;

/** `errors` and `warnings`: the first hundred. */
export interface VersionVerdict extends Pick<
  VerifyResult,
  'ok' | 'errors' | 'errorCount' | 'warnings' | 'hint' | 'files' | 'bytes'
> {
  readonly version: number;
  /** Null where its record cannot be read. */
  readonly uploadId: string | null;
}

export interface DatasetVerdict {
  readonly datasetId: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
  /** That no dataset before it needs, and how many of these were read. */
  readonly chunks: number;
  readonly chunksRead: number;
}

export interface StoreVerdict {
  readonly ok: boolean;
  readonly mode: VerifyMode;
  readonly checked: CheckedLevel;
  /** In byte order of their ids. */
  readonly datasets: readonly DatasetVerdict[];
  readonly versions: number;
  readonly damagedVersions: number;
  /** Each counted once. */
  readonly chunks: number;
  readonly chunksRead: number;
  readonly filesRead: number;
  readonly bytesRead: number;
}

/** Verifies all versions. @throws not-found where there is no dataset, and what the store says; damage is in the result */
export async function verifyStore(options: VerifyStoreOptions): Promise<StoreVerdict> {
  const { reader, mode, emit, signal } = options;
  emit({ type: 'start', operation: 'verify', source: reader.url, target: '' });
  emit({ type: 'phase', phase: 'listing' });
  const found = await listAllVersions(reader, signal);
  if (found.size === 0) throw new ArchiverError('not-found', `there are no datasets under ${printable(reader.url)}`);
  const look = {
    listed: mode === 'quick' ? undefined : await sizesBelow(reader, signal),
    seen: new Set<string>(),
    damaged: new Set<string>(),
  };
  const sums = { chunksRead: 0, filesRead: 0, bytesRead: 0 };
  const datasets: DatasetVerdict[] = [];
  // A deep check counts the bytes of each version instead.
  const count = [...found.values()].reduce((sum, { length }) => sum + length, 0);
  emit({ type: 'phase', phase: 'reading' });
  emit({ type: 'plan', items: count, bytes: 0 });
  const meter = progressMeter(emit);
  for (const [datasetId, versions] of found) {
    const before = { chunks: look.seen.size, read: sums.chunksRead };
    const verdicts: VersionVerdict[] = [];
    for (const listed of versions) {
      const verdict = await verdictOf({ options, datasetId, listed, look, sums });
      if (verdict !== undefined) verdicts.push(verdict);
      if (mode !== 'deep') meter.add(1, 0);
    }
    const chunks = look.seen.size - before.chunks;
    const chunksRead = sums.chunksRead - before.read;
    datasets.push({ datasetId, ok: verdicts.every(({ ok }) => ok), versions: verdicts, chunks, chunksRead });
  }
  if (mode !== 'deep') meter.finish();
  const all = datasets.flatMap(({ versions }) => versions);
  const damagedVersions = all.filter(({ ok }) => !ok).length;
  return {
    ok: damagedVersions === 0,
    mode,
    checked: levelOf(mode, look.seen.size, sums.chunksRead),
    datasets,
    versions: all.length,
    damagedVersions,
    chunks: look.seen.size,
    ...sums,
  };
}

async function sizesBelow(reader: ObjectReader, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const page of reader.list({ prefix: 'uploads/', signal }))
    for (const { key, sizeBytes } of page.objects) sizes.set(key, sizeBytes);
  return sizes;
}

interface VersionCall {
  readonly options: VerifyStoreOptions;
  readonly datasetId: string;
  readonly listed: ListedVersion;
  readonly look: Omit<SharedLook, 'record'>;
  /** Grow. */
  readonly sums: { chunksRead: number; filesRead: number; bytesRead: number };
}

/** Undefined for a version that was retired meanwhile. */
async function verdictOf({ options, datasetId, listed, look, sums }: VersionCall): Promise<VersionVerdict | undefined> {
  const { reader, signal } = options;
  const { version } = listed;
  const isThere = async () => (await readVersions(reader, datasetId, [listed], signal))[0];
  const read = await isThere();
  if (read === undefined) return undefined;
  if ('problem' in read) return unreadable(version, null, read.problem);
  const { record } = read;
  const { uploadId } = record;
  try {
    const result = await verifyVersion({ ...options, uploadId }, { ...look, record });
    // What was swept while it was read was that of a version which somebody has retired.
    if (!result.ok && (await isThere()) === undefined) return undefined;
    sums.chunksRead += result.chunksRead;
    sums.filesRead += result.filesRead;
    sums.bytesRead += result.bytesRead;
    const { ok, errors, errorCount, warnings, hint, files, bytes } = result;
    const named = { errors: errors.slice(0, MAX_NAMED), warnings: warnings.slice(0, MAX_NAMED) };
    return { version, uploadId, ok, ...named, errorCount, hint, files, bytes };
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'unsupported', 'access-denied')) throw error;
    return (await isThere()) === undefined ? undefined : unreadable(version, uploadId, error);
  }
}

const unreadable = (version: number, uploadId: string | null, { message, hint }: ArchiverError): VersionVerdict => ({
  version,
  uploadId,
  ok: false,
  errors: [{ message }],
  errorCount: 1,
  warnings: [],
  hint: hint ?? null,
  files: 0,
  bytes: 0,
});
