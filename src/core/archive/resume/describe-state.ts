// A saved upload as data for programs.
import type { FoundState } from './state-folder.js';
import type { UploadState } from './upload-state.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';

/** `unreadable` is damaged, from another archiver or newer. */
export type SavedStatus = 'running' | 'interrupted' | 'complete' | 'unreadable';

/** The status of a saved upload. */
export function savedStatus({ document: state, holder }: Pick<FoundState, 'document' | 'holder'>): SavedStatus {
  if (holder !== undefined) return 'running';
  if (state === undefined) return 'unreadable';
  return state.status === 'complete' ? 'complete' : 'interrupted';
}

/** What a saved upload has done, and by when: of a running one what its own display says, of this run's plan. */
export interface SavedProgress {
  readonly files: number;
  readonly bytes: number;
  readonly of: { readonly files: number; readonly bytes: number };
  /** Bytes that this run has sent. */
  readonly sentBytes: number;
  readonly atMs: number;
}

/** Tells what is done; undefined when nothing is known about it. Never more than all. */
export function savedProgress({ document: state, progress }: FoundState): SavedProgress | undefined {
  if (state === undefined) return undefined;
  const { done, totals, found, updatedAt } = state;
  const [{ files, bytes }, of] = progress === undefined ? [done, totals] : [progress, progress.of];
  return {
    files: Math.min(files, of.files),
    bytes: Math.min(bytes, of.bytes),
    of,
    sentBytes: progress === undefined ? bytes - found.bytes : bytes,
    atMs: Date.parse(progress?.at ?? updatedAt),
  };
}

/** The part that is done, 0 to 1. */
export const shareOf = ({ files, bytes, of }: Pick<SavedProgress, 'files' | 'bytes' | 'of'>): number =>
  of.bytes === 0 ? Number(files >= of.files) : bytes / of.bytes;

function progressDocument(one: FoundState) {
  const known = one.progress === undefined ? undefined : savedProgress(one);
  if (known === undefined) return {};
  const { files, bytes, of, atMs } = known;
  const percent = Math.floor(shareOf(known) * 100);
  const totals = { filesTotal: of.files, bytesTotal: of.bytes };
  return { progress: { time: new Date(atMs).toISOString(), percent, files, bytes, ...totals } };
}

/** The keys of its JSON document. `nowMs`: milliseconds since 1970. */
export function stateDocument(one: FoundState, nowMs: number) {
  const { id: uploadId, document: state, problem } = one;
  const common = { uploadId, status: savedStatus(one) };
  if (state === undefined) return { ...common, problem: problem?.message };
  const { command, sources, destination, storeUrl, datasetId, done, totals, plan, startedAt, updatedAt, failure } =
    state;
  const leftMs = timeLeftMs(one, nowMs);
  return {
    ...common,
    command,
    source: sources[0],
    sources,
    destination,
    location: uploadUrlOf(storeUrl, state.uploadIds.at(-1) ?? state.uploadId),
    datasetId,
    filesDone: done.files,
    filesTotal: totals.files,
    bytesDone: done.bytes,
    bytesTotal: totals.bytes,
    chunksSent: done.chunks,
    ...(plan.chunks === undefined ? {} : { chunksTotal: plan.chunks }),
    storedBytes: done.storedBytes,
    createdAt: state.createdAt,
    startedAt,
    updatedAt,
    elapsedMs: elapsedMs(state, nowMs),
    estimatedCompletion: leftMs === undefined ? null : new Date(nowMs + leftMs).toISOString(),
    ...progressDocument(one),
    ...(failure === undefined ? {} : { reason: failure }),
  };
}

/** Milliseconds since an upload began. */
export const elapsedMs = ({ createdAt }: UploadState, nowMs: number): number =>
  Math.max(0, nowMs - Date.parse(createdAt));

/** Milliseconds until a running upload has sent everything at its speed so far; undefined when that is not known. */
export function timeLeftMs(one: FoundState, nowMs: number): number | undefined {
  const { document: state } = one;
  if (state === undefined || savedStatus(one) !== 'running') return undefined;
  const known = savedProgress(one);
  if (known === undefined) return undefined;
  const { bytes, of, sentBytes, atMs } = known;
  const took = atMs - Date.parse(state.startedAt);
  if (sentBytes <= 0 || took <= 0) return undefined;
  const left = ((of.bytes - bytes) / sentBytes) * took - (nowMs - atMs);
  return Math.max(0, Math.round(left));
}
