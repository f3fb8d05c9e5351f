// A restore drill: files of a version are restored as `restore` does it, into a private folder, and compared there with the manifest. Only
// what came back right counts as proven. The folder is removed however the drill ends.
import { rmSync } from 'node:fs';
import type { Coverage } from '../../dataset/checks/check-document.js';
import { progressMeter } from '../../events/progress-meter.js';
import { defined } from '../../platform/defined.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { type Failure, resultPath } from '../../platform/failures/failure-list.js';
import { displayPath, printable } from '../../platform/paths/raw-path.js';
import { restoreUpload, type RestoreOptions, type RestoreResult } from '../../restore/restore.js';
import type { ColdCount } from '../verify/cold-chunks.js';
import { freeSpaceOf, TempFolder } from '../migrate/temp-folder.js';
import { type Candidate, eachContent, readCandidates, type VersionToRead } from './candidates.js';
import { type Amount, chooseContents } from './choose.js';
import { compareRestored, type Expected } from './compare-restored.js';
import { coverageOf, type Proven } from './proven.js';

/** Room for folders, and for what others write meanwhile. */
const SPARE_BYTES = 64 * 1024 * 1024;

export interface DrillOptions extends VersionToRead {
  readonly amount: Amount;
  readonly days: number;
  readonly proven: Proven;
  /** Folder in which the private one is made. */
  readonly scratch: string;
  readonly dryRun: boolean;
  readonly random: () => number;
  readonly mayFetch: RestoreOptions['mayFetch'];
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes: number | undefined;
}

export interface DrillResult {
  /** False when a file could not be restored, or came back different. */
  readonly ok: boolean;
  /** Contents that were restored, or in a dry run would be, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  readonly failed: readonly Failure[];
  readonly proven: readonly number[];
  readonly disproven: readonly number[];
  /** What is proven within the days, with this drill (in a dry run without it). */
  readonly coverage: Coverage;
  /** Contents without a checksum, which nothing can be compared with. */
  readonly uncheckedFiles: number;
  /** Contents in cold storage, which are left out, and the chunks that they lie in. */
  readonly coldFiles: number;
  readonly cold: readonly ColdCount[];
  /** Chunks that were read, of those that a restore of all would read. */
  readonly chunksRead: number;
  readonly bytesFetched: number;
}

interface Chosen extends Expected {
  readonly place: number;
}

/** Drills one version. @throws no-space, cancelled, what `mayFetch` throws and what the store says */
export async function drill(options: DrillOptions): Promise<DrillResult> {
  const { amount, random, proven, dryRun } = options;
  options.emit({ type: 'phase', phase: 'scanning' });
  const { contents, cold } = await readCandidates(options);
  const picked = chooseContents(contents, amount, proven, random);
  const chosen = picked.length === 0 ? [] : await entriesOf(options, picked);
  const restored = chosen.length === 0 ? undefined : await restoreAndCompare(options, chosen);
  const failed = restored?.failed ?? [];
  const wrong = new Set(failed.map(({ place }) => place));
  const isRight = ({ place }: Chosen): boolean => !dryRun && !wrong.has(place);
  const right = chosen.filter(isRight).map(({ place }) => place);
  const all = new Set([...proven.at.keys(), ...right]);
  for (const place of wrong) all.delete(place);
  return {
    ok: failed.length === 0,
    files: chosen.length,
    bytes: chosen.reduce((sum, { size }) => sum + size, 0),
    failed: failed.map(({ path, reason }) => ({ path, reason })),
    proven: right,
    disproven: [...wrong],
    coverage: coverageOf(contents, all, options.days),
    uncheckedFiles: contents.filter(({ hindrance }) => hindrance === 'unchecked').length,
    coldFiles: contents.filter(({ hindrance }) => hindrance === 'cold').length,
    cold,
    chunksRead: restored?.result.chunks ?? 0,
    bytesFetched: restored?.result.bytesFetched ?? 0,
  };
}

/** Paths and metadata of the chosen contents. @throws what reading the manifest throws */
async function entriesOf(options: DrillOptions, picked: readonly Candidate[]): Promise<readonly Chosen[]> {
  const wanted = new Set(picked.map(({ place }) => place));
  const chosen: Chosen[] = [];
  await eachContent(options, (place, { path, size, md5, mode, mtime }) => {
    if (wanted.has(place)) chosen.push({ place, path, size, mode, mtime, ...defined({ md5 }) });
  });
  return chosen;
}

interface Restored {
  readonly result: RestoreResult;
  /** What is wrong with which place. */
  readonly failed: readonly (Failure & { readonly place: number })[];
}

async function restoreAndCompare(options: DrillOptions, chosen: readonly Chosen[]): Promise<Restored> {
  const { scratch, dryRun, emit, signal } = options;
  if (dryRun) return { result: await restore(options, scratch, chosen), failed: [] };
  const folder = TempFolder.make(scratch, { prefix: 'archiver-drill-', flag: '--scratch' });
  // Whatever ends the process on the way: a second Ctrl+C waits for nobody.
  const removeNow = (): void => rmSync(folder.path, { recursive: true, force: true });
  process.once('exit', removeNow);
  try {
    refuseFull(folder.data, scratch, chosen);
    const result = await restore(options, folder.data, chosen);
    const reasons = new Map(result.failed.map(({ path, reason }) => [path, reason]));
    const failed = chosen.flatMap((one) => {
      const path = resultPath(one.path);
      const reason = reasons.get(path);
      return reason === undefined ? [] : [{ place: one.place, path, reason }];
    });
    const lost = new Set(failed.map(({ place }) => place));
    const written = chosen.filter(({ place }) => !lost.has(place));
    emit({ type: 'phase', phase: 'comparing' });
    emit({ type: 'plan', items: written.length, bytes: written.reduce((sum, { size }) => sum + size, 0) });
    const meter = progressMeter(emit, (index) => written[index] && displayPath(written[index].path));
    const onCompared = (one: Chosen, problem: string | undefined): void => {
      if (problem !== undefined) failed.push({ place: one.place, path: resultPath(one.path), reason: problem });
      meter.add(1, one.size);
    };
    await compareRestored(folder.data, written, onCompared, signal);
    meter.finish();
    return { result, failed };
  } finally {
    process.off('exit', removeNow);
    await folder.remove();
  }
}

/** Restores as `restore` does, with what is needed straight from the store. */
async function restore(options: DrillOptions, outputDir: string, chosen: readonly Chosen[]): Promise<RestoreResult> {
  const { reader, uploadId, manifestSha256, mayFetch, dryRun, requestsAtOnce, memoryLimitBytes, emit, signal } =
    options;
  return await restoreUpload({
    operation: 'restore',
    reader,
    uploadId,
    manifestSha256,
    outputDir,
    selectors: { paths: chosen.map(({ path }) => path) },
    overwrite: 'never',
    flatten: false,
    verifyFiles: true,
    keepSpecialBits: false,
    dryRun,
    requestsAtOnce,
    memoryLimitBytes,
    fillsCache: false,
    mayFetch,
    // Its beginning is that of the drill.
    emit: (event) => event.type === 'start' || emit(event),
    signal,
  });
}

/** @throws no-space */
function refuseFull(folder: string, scratch: string, chosen: readonly Chosen[]): void {
  const bytes = chosen.reduce((sum, { size }) => sum + size, 0);
  const free = freeSpaceOf(folder).bytes;
  if (free >= bytes + SPARE_BYTES) return;
  throw new ArchiverError(
    'no-space',
    `the drill would restore ${bytes} bytes, and ${printable(scratch)} has ${free} free`,
    {
      hint: '--scratch names a folder with more room, and --sample or --files takes less at a time',
    },
  );
}
