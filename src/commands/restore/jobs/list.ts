import { hostname } from 'node:os';
import { defineCommand } from '../../../cli/command.js';
import type { Clock, Messages, Places, Results } from '../../../cli/context.js';
import type { Selectors } from '../../../core/format/manifest/selection.js';
import { displayPath, printable, TOP } from '../../../core/platform/paths/raw-path.js';
import type { FoundJob } from '../../../core/restore/jobs/job-folder.js';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { ofKnown } from '../../kit/lines.js';
import { jobDocument, readableChunks, shownStatus } from '../../kit/restore-job.js';
import { jobFolder } from '../../kit/saved.js';
import { type Column, column, numbers, tableText, type TableContext } from '../../kit/table.js';
import { uploadUrl } from '../../kit/upload-target.js';

export const command = defineCommand({
  path: 'restore jobs list',
  summary: 'list restores that wait for cold storage',
  description:
    'Shows what ~/.archiver/restore-jobs holds, oldest first, as it was when the store was asked last; nothing is asked ' +
    'of any store now. pending: not all chunks can be read yet. ready: all can. downloading, or interrupted when its ' +
    'process is gone. completed. failed: some of it could not be had.',
  examples: ['archiver restore jobs list', 'archiver restore jobs list --json'],
  exits: { 0: 'listed', 1: 'the folder cannot be read', 3: 'listed, but some jobs are damaged or newer' },
  async run(
    _values,
    _args,
    context: Results<'restore jobs list'> & Messages & Clock & Pick<Places, 'home'> & TableContext,
  ) {
    const { findJobs } = await import('../../../core/restore/jobs/job-folder.js');
    const folder = jobFolder(context);
    const found = await findJobs(folder, hostname());
    for (const { problem } of found) if (problem !== undefined) context.warn(problem.message);
    const nowMs = context.now().getTime();
    const none = `no restore jobs are saved in ${printable(folder)}\n`;
    const text = found.length === 0 ? none : await tableText(found, columnsAt(nowMs), context);
    context.result({ jobs: found.map((one) => documentOf(one, nowMs)), folder }, () => text);
    return found.some(({ problem }) => problem !== undefined) ? 3 : 0;
  },
});

const columnsAt = (nowMs: number): readonly Column<FoundJob>[] => [
  column('JOB', ({ id }) => id),
  column('STATUS', shownStatus),
  numbers('AGE', ({ document: job }) => ofKnown(job, ({ createdAt }) => formatDuration(ageMs(createdAt, nowMs)))),
  column('SOURCE', ({ document: job }) => ofKnown(job, ({ location }) => printable(uploadUrl(location))), {
    isCuttable: true,
  }),
  column('SELECTION', ({ document: job }) => ofKnown(job?.selectors, selectionText), {
    isCuttable: true,
    dropOrder: 3,
  }),
  numbers('FILES', ({ document: job }) => ofKnown(job?.files, formatCount), { dropOrder: 2 }),
  numbers('SIZE', ({ document: job }) => ofKnown(job?.bytes, formatBytes), { dropOrder: 4 }),
  numbers('CHUNKS READY', ({ document: job }) =>
    ofKnown(job, (known) => `${formatCount(readableChunks(known))} of ${formatCount(known.chunks.length)}`),
  ),
  numbers('EST. COST', ({ document: job }) => (job === undefined ? undefined : shortUsd(job.estimatedCostUsd)), {
    dropOrder: 1,
  }),
];

const ageMs = (createdAt: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(createdAt));

function documentOf({ id, document: job, problem, holder }: FoundJob, nowMs: number) {
  if (job === undefined) return { jobId: id, status: 'unreadable', problem: problem?.message };
  return { ...jobDocument(job), ageMs: ageMs(job.createdAt, nowMs), isRunning: holder !== undefined };
}

/** Describes in a few words what was selected. */
function selectionText(selectors: Selectors): string {
  const { all, files = [], paths = [], md5s = [], patterns = [], commits = [], stages = [], shards = [] } = selectors;
  const count = files.length + paths.length;
  const [first = displayPath(paths[0] ?? TOP)] = files;
  const words = [
    count > 1 ? `${formatCount(count)} paths` : printable(first),
    ...md5s.map((md5) => `md5 ${md5}`),
    ...patterns.map(printable),
    ...commits.map((commit) => `commit ${printable(commit)}`),
    ...stages.map((stage) => `stage ${printable(stage)}`),
    ...narrowingWords(selectors),
    shards.length === 0 ? '' : `shards ${shards.join(',')}`,
  ].filter((word) => word !== '');
  return all === true || words.length === 0 ? 'all' : words.join(', ');
}

function narrowingWords({ regexes = [], largerThanBytes, smallerThanBytes }: Selectors): readonly string[] {
  return [
    ...regexes.map((regex) => `regex ${printable(regex)}`),
    ...(largerThanBytes === undefined ? [] : [`larger than ${largerThanBytes} bytes`]),
    ...(smallerThanBytes === undefined ? [] : [`smaller than ${smallerThanBytes} bytes`]),
  ];
}
