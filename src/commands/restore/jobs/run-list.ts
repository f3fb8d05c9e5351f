// `archiver restore jobs list`: the saved jobs as a table or as JSON.
import { hostname } from 'node:os';
import type { Context } from '../../../cli/context.js';
import type { Selectors } from '../../../core/manifest/selection.js';
import { displayPath, printable } from '../../../core/paths/raw-path.js';
import { findJobs, type FoundJob } from '../../../core/restore-jobs/job-folder.js';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { printTable } from '../../dataset/print-table.js';
import { uploadUrl } from '../../kit/upload-target.js';
import { jobFolder } from './job-store.js';
import { jobDocument, readableChunks, shownStatus } from './job-text.js';

/** Runs the command; returns its exit status. */
export async function runJobsList(context: Context): Promise<number> {
  const folder = jobFolder(context);
  const found = await findJobs(folder, hostname());
  for (const { problem } of found) if (problem !== undefined) context.warn(problem.message);
  const nowMs = context.now().getTime();
  const jobs = found.map((one) => documentOf(one, nowMs));
  const table = context.json ? '' : await tableText(found, nowMs, context);
  context.result({ jobs, folder }, () => table);
  return found.some(({ problem }) => problem !== undefined) ? 3 : 0;
}

const ageMs = (createdAt: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(createdAt));

function documentOf({ id, job, problem, holder }: FoundJob, nowMs: number) {
  if (job === undefined) return { jobId: id, status: 'unreadable', problem: problem?.message };
  return { ...jobDocument(job), ageMs: ageMs(job.createdAt, nowMs), isRunning: holder !== undefined };
}

/** What was asked for, in a few words. */
function selectionText(selectors: Selectors): string {
  const { all, files = [], paths = [], md5, pattern, gitCommit, stage, shards = [] } = selectors;
  const count = files.length + paths.length;
  const [first = displayPath(paths[0] ?? '')] = files;
  const words = [
    count > 1 ? `${formatCount(count)} paths` : printable(first),
    md5 === undefined ? '' : `md5 ${md5}`,
    pattern === undefined ? '' : printable(pattern),
    gitCommit === undefined ? '' : `commit ${printable(gitCommit)}`,
    stage === undefined ? '' : `stage ${printable(stage)}`,
    shards.length === 0 ? '' : `shards ${shards.join(',')}`,
  ].filter((word) => word !== '');
  return all === true || words.length === 0 ? 'all' : words.join(', ');
}

async function tableText(found: readonly FoundJob[], nowMs: number, context: Context): Promise<string> {
  if (found.length === 0) return `no restore jobs are saved in ${printable(jobFolder(context))}\n`;
  const rows = found.map((one) => {
    const { id, job } = one;
    if (job === undefined) return { job: id, status: shownStatus(one) };
    const { location, chunks, files, bytes, estimatedCostUsd } = job;
    return {
      job: id,
      status: shownStatus(one),
      age: formatDuration(ageMs(job.createdAt, nowMs)),
      source: printable(uploadUrl(location)),
      selection: selectionText(job.selectors),
      files: formatCount(files),
      size: formatBytes(bytes),
      chunks: `${formatCount(readableChunks(job))} of ${formatCount(chunks.length)}`,
      cost: shortUsd(estimatedCostUsd),
    };
  });
  const columns = [
    { key: 'job', title: 'JOB' },
    { key: 'status', title: 'STATUS' },
    { key: 'age', title: 'AGE', align: 'right' as const },
    { key: 'source', title: 'SOURCE', isCuttable: true },
    { key: 'selection', title: 'SELECTION', isCuttable: true, dropOrder: 3 },
    { key: 'files', title: 'FILES', align: 'right' as const, dropOrder: 2 },
    { key: 'size', title: 'SIZE', align: 'right' as const, dropOrder: 4 },
    { key: 'chunks', title: 'CHUNKS READY', align: 'right' as const },
    { key: 'cost', title: 'EST. COST', align: 'right' as const, dropOrder: 1 },
  ];
  return await printTable(rows, columns, context);
}
