// `archiver resume list`: the saved uploads as a table or as JSON.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { printable } from '../../core/paths/raw-path.js';
import { type FoundState, findStates } from '../../core/resume/state-folder.js';
import type { UploadState } from '../../core/resume/upload-state.js';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.js';
import { minuteText } from '../kit/lines.js';
import { printTable } from '../dataset/print-table.js';
import { stateFolder } from '../upload/resumable.js';
import { savedStatus } from './saved-status.js';

/** Runs the command; returns its exit status. */
export async function runResumeList(context: Context): Promise<number> {
  const folder = stateFolder(context);
  const found = await findStates(folder, hostname());
  for (const { problem } of found) if (problem !== undefined) context.warn(problem.message);
  const nowMs = context.now().getTime();
  const uploads = found.map((one) => documentOf(one, nowMs));
  const table = context.json ? '' : await tableText(found, nowMs, folder, context);
  context.result({ uploads, folder }, () => table);
  return found.some(({ problem }) => problem !== undefined) ? 3 : 0;
}

function documentOf(one: FoundState, nowMs: number) {
  const { uploadId, state, problem } = one;
  const common = { uploadId, status: savedStatus(one) };
  if (state === undefined) return { ...common, problem: problem?.message };
  const { command, sources, destination, storeUrl, datasetId, done, totals, startedAt, updatedAt, failure } = state;
  const etaMs = timeLeft(one, nowMs);
  return {
    ...common,
    command,
    source: sources[0],
    sources,
    destination,
    location: `${storeUrl}/uploads/${state.uploadIds.at(-1) ?? uploadId}`,
    datasetId,
    filesDone: done.files,
    filesTotal: totals.files,
    bytesDone: done.bytes,
    bytesTotal: totals.bytes,
    chunksSent: done.chunks,
    storedBytes: done.storedBytes,
    createdAt: state.createdAt,
    startedAt,
    updatedAt,
    elapsedMs: Math.max(0, nowMs - Date.parse(state.createdAt)),
    estimatedCompletion: etaMs === undefined ? null : new Date(nowMs + etaMs).toISOString(),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Milliseconds until a running upload has sent everything at the speed it had; undefined where that cannot be said. */
function timeLeft(one: FoundState, nowMs: number): number | undefined {
  const { state } = one;
  if (state === undefined || savedStatus(one) !== 'running') return undefined;
  const { done, found, totals, startedAt, updatedAt } = state;
  const sent = done.bytes - found.bytes;
  const took = Date.parse(updatedAt) - Date.parse(startedAt);
  if (sent <= 0 || took <= 0) return undefined;
  const left = ((totals.bytes - done.bytes) / sent) * took - (nowMs - Date.parse(updatedAt));
  return Math.max(0, Math.round(left));
}

const progressText = ({ done, totals }: UploadState): string =>
  `${formatBytes(Math.min(done.bytes, totals.bytes))} of ${formatBytes(totals.bytes)}`;

async function tableText(
  found: readonly FoundState[],
  nowMs: number,
  folder: string,
  context: Context,
): Promise<string> {
  if (found.length === 0) return `no uploads are saved in ${printable(folder)}\n`;
  const rows = found.map((one) => {
    const { uploadId, state } = one;
    const etaMs = timeLeft(one, nowMs);
    return {
      upload: uploadId,
      status: savedStatus(one),
      source: state === undefined ? undefined : printable(state.sources.join(' ')),
      destination: state === undefined ? undefined : printable(state.destination),
      files:
        state === undefined
          ? undefined
          : `${formatCount(Math.min(state.done.files, state.totals.files))} of ${formatCount(state.totals.files)}`,
      size: state === undefined ? undefined : progressText(state),
      started: state === undefined ? undefined : minuteText(state.createdAt),
      left: etaMs === undefined ? undefined : formatDuration(etaMs),
    };
  });
  const columns = [
    { key: 'upload', title: 'UPLOAD ID' },
    { key: 'status', title: 'STATUS' },
    { key: 'source', title: 'SOURCE', isCuttable: true },
    { key: 'destination', title: 'DESTINATION', isCuttable: true, dropOrder: 3 },
    { key: 'files', title: 'FILES', align: 'right' as const, dropOrder: 2 },
    { key: 'size', title: 'SENT', align: 'right' as const },
    { key: 'started', title: 'STARTED (UTC)', dropOrder: 1 },
    { key: 'left', title: 'LEFT', align: 'right' as const, dropOrder: 4 },
  ];
  return await printTable(rows, columns, context);
}
