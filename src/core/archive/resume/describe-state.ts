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
  const { done, found, totals, startedAt, updatedAt } = state;
  const sent = done.bytes - found.bytes;
  const took = Date.parse(updatedAt) - Date.parse(startedAt);
  if (sent <= 0 || took <= 0) return undefined;
  const left = ((totals.bytes - done.bytes) / sent) * took - (nowMs - Date.parse(updatedAt));
  return Math.max(0, Math.round(left));
}
