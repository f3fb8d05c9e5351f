import { resolve } from 'node:path';
import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import type { GateAnswer } from '../cli/slots.js';
import { conflicts, requires, atLeastOne } from '../cli/rule.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { Retrieval } from '../core/restore/retrieve.js';
import {
  cacheFlag,
  coldFlags,
  limitFlags,
  listRule,
  outputFlags,
  uploadArg,
  uploadTargetFlags,
  uploadTargetRules,
  workersFlag,
  writeFlags,
} from './kit/flags.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import { allWritersFlag } from './kit/all-writers.js';
import { openFrameCache } from './kit/frame-cache.js';
import { fact } from './kit/lines.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';
import { type RestoreCall, restoreFiles } from './kit/restore-files.js';
import type { Retrieved } from './kit/retrieve-with-job.js';
import { partDocument, refuseMovingPart } from './kit/part.js';
import { isGiven } from './kit/run.js';
import { hashRule, NARROWING, SELECTOR_KEYS, selectorFlags, selectorsOf } from './kit/selectors.js';
import { retrievalGate, dryRunRetrievalGate } from './kit/slots.js';
import { findUpload, targetOf } from './kit/upload-target.js';

const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...allWritersFlag,
  ...selectorFlags,
  all: flag.on({ describe: 'restore everything' }),
  part: flag.part({
    placeholder: 'I/N',
    describe: 'restore this part of what is selected; N calls, on as many machines, into one folder restore all: 3/16',
  }),
  ...coldFlags,
  pollInterval: flag.duration({
    describe: 'with --wait: how often to look, 1s to 24h; 1m with --tier expedited, else 15m',
  }),
  ...writeFlags,
  toTar: flag.fileOrStream({
    placeholder: 'FILE|-',
    describe:
      'write one tar instead of files in a folder, to stdout with -; compressed where FILE ends in .gz, .tgz or .zst',
  }),
  toZip: flag.fileOrStream({ placeholder: 'FILE|-', describe: 'write one zip instead, to stdout with -' }),
  dryRun: flag.on({
    describe: 'show what would be restored and fetched, what it costs and how long it takes; write nothing',
  }),
  ...cacheFlag('. --all fills it only when this is given'),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...budgetGateFlags,
  ...telemetryFlags,
  ...outputFlags,
};

/** Flags about files in a folder, and about cold storage: of no use to a stream. */
const FOLDER_KEYS = [...Object.keys({ ...coldFlags, ...writeFlags }), 'pollInterval', 'part', 'dryRun', 'workers'];
const RUN_KEYS = Object.keys(outputFlags);

export const command = defineCommand({
  path: 'restore',
  summary: 'restore files of an upload',
  description:
    `Restores what --file, --pattern, --hash and the like select, or everything with --all. ${NARROWING}\n` +
    'With --dataset-id and no version, --git-commit means the newest version that was made at the commit.\n' +
    'With - as OUTPUT_DIR, the one file that --file names goes to stdout, as with `archiver cat`; ./- is a folder of that name.\n' +
    'Files are written under OUTPUT_DIR by their path in the source folder, with times, permissions, links, holes and ' +
    'attributes; owners only when run as root. A file gets its name when its checksum is right. What a killed restore ' +
    'has not finished, the next one into OUTPUT_DIR writes again or removes; what may be yours it names. Nothing is written outside of OUTPUT_DIR or through a symbolic link in it.\n' +
    'What is already in place with the same size and time is left alone and counted as unchanged (--overwrite if-changed); ' +
    'so an interrupted restore continues when it is run again. A file never replaces a folder, nor a folder a file.\n' +
    'A file that fails is named and the others are restored.\n' +
    '--part 3/16 restores a sixteenth, as a task of an array does: all of the chunks that are its own, and no others. The parts ' +
    'may run at once, in any order and again, by one user; when each has ended with 0, OUTPUT_DIR is as one restore would have made it.\n' +
    'Chunks in cold storage (GLACIER, DEEP_ARCHIVE) must be requested first. Only those that are needed are requested, ' +
    'each once; then a job is saved, and `archiver restore jobs` checks and downloads it. With --wait this command waits ' +
    'and restores. Costs are estimates at AWS list prices.',
  args: [
    uploadArg,
    arg.folderOrStream('OUTPUT_DIR', {
      describe: 'where the files go; made when it is missing; - writes one file to stdout',
      orFlag: ['toTar', 'toZip'],
    }),
  ],
  flags,
  rules: [
    conflicts('all', SELECTOR_KEYS),
    conflicts('part', ['flatten']),
    conflicts('toTar', ['toZip']),
    ...uploadTargetRules,
    conflicts('allWriters', ['uploadId']),
    ...telemetryRules,
    requires('pollInterval', 'wait'),
    {
      kind: 'check',
      text: '--poll-interval is 1s to 24h',
      ok: ({ pollInterval = 1000 }) => pollInterval >= 1000 && pollInterval <= 86_400_000,
    },
    atLeastOne(...SELECTOR_KEYS, 'all'),
    hashRule,
    listRule,
  ],
  examples: [
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --file results/summary.csv',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --file data --pattern "**/*.csv"',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --all',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d - --file results/summary.csv | head',
    'archiver restore s3://acme-archive/lab ./out --all --dataset-id results-1a2b3c4d --as-of 2026-03-31',
    'archiver restore s3://acme-archive/fleet ./out --all --dataset-id www-1a2b3c4d --all-writers',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --hash 9e107d9d372bb6826bd81d3542a419d6 --dry-run',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --all --tier bulk --max-restore-cost 20',
    'archiver restore s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --dvc-stage featurize --wait',
    'archiver restore s3://acme-archive/lab /scratch/out --all --dataset-id survey --version 12 --part "$SLURM_ARRAY_TASK_ID/16"',
  ],
  isRecorded: true,
  exits: {
    0: 'restored, or already in place',
    1: 'failed, or none of the files could be restored',
    3: 'finished, but some files could not be restored, or some chunks could not be requested',
    4: 'the estimate exceeds --max-restore-cost or a budget, or a price is not known; nothing was requested or fetched',
    5: 'nothing restored yet: everything was requested from cold storage, and `archiver restore jobs` goes on from there',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url, folder], context: Context<'restore'>) {
    if ((values.toTar ?? values.toZip) !== undefined) {
      const { exportFiles } = await import('./restore/export-files.js');
      return await exportFiles(values, { url, folder, idleKeys: [...FOLDER_KEYS, 'cacheGb'] }, context);
    }
    if (folder === undefined) throw usageError('OUTPUT_DIR is missing');
    if (folder === '-') {
      const { printOne } = await import('./restore/print-one.js');
      await printOne(values, { url, idleKeys: [...FOLDER_KEYS, ...RUN_KEYS] }, context);
      return 0;
    }
    const outputDir = resolve(context.cwd, folder);
    refuseMovingPart(values.part, { ...(await targetOf(url, values, context)), version: values.version });
    const target = await findUpload(url, values, context);
    const { version, manifestSha256 } = target;
    const { retrieveWithJob } = await import('./kit/retrieve-with-job.js');
    const { retrievalDocument } = await import('../core/restore/retrieval-document.js');
    const call = {
      operation: 'restore',
      outputDir,
      target,
      manifestSha256,
      selectors: { ...(await selectorsOf(values, context)), ...(values.part && { part: values.part }) },
      openCache: () => openFrameCache(values, context),
      fillsCache: !values.all || isGiven(context, 'cacheGb'),
      fetch: async (options, opened) => {
        const { uploadId } = target;
        const check = retrievalGate({ ...values }, uploadId, context);
        const restore = { values, context, opened, target, version, retrievalGate: check };
        const retrieved = await retrieveWithJob(options, restore);
        const { retrieval, jobId } = retrieved;
        const { project } = retrieval;
        const { costUsd } = retrieval.estimate;
        const gates = values.dryRun
          ? await dryRunRetrievalGate({ ...values }, { uploadId, costUsd, project }, context)
          : NO_GATES;
        const more = { ...retrievalDocument(retrieval, jobId), ...gates.document };
        return { result: retrieval.result, more, ...(await outcomeOf(retrieved, values, gates)) };
      },
    } satisfies RestoreCall<object>;
    return await restoreFiles(values, call, context, (restored, more) => ({
      ...restored,
      ...more,
      ...partDocument(values.part),
    }));
  },
});

/** Exit status of a restore that only requested chunks: neither done nor failed, as the user has to come back. */
const REQUESTED = 5;

const NO_GATES: GateAnswer = { document: {}, lines: [] };

type Outcome = { readonly text?: string; readonly planned?: readonly string[]; readonly status?: number };

/** Returns the text and the exit status of a restore whose chunks are in cold storage. */
async function outcomeOf(
  { retrieval, jobId = '' }: Retrieved,
  values: Values<typeof flags>,
  gates: GateAnswer,
): Promise<Outcome> {
  const { plannedLines, requestedText } = await import('./kit/cost-lines.js');
  const { isLost } = await import('../core/restore/retrieval-document.js');
  switch (retrieval.kind) {
    case 'restored':
      return {};
    case 'requested':
      return { text: requestedText(retrieval, values, jobId), status: retrieval.chunks.some(isLost) ? 3 : REQUESTED };
    case 'planned': {
      const lines = [...plannedLines(retrieval, values.tier), ...gates.lines];
      if (await isRefused(retrieval, values)) return { planned: [...lines, REFUSED], status: 4 };
      return { planned: lines, ...(gates.document.wouldRefuse === true ? { status: 4 } : {}) };
    }
    default:
      return retrieval satisfies never;
  }
}

const REFUSED = fact('refused', '--max-restore-cost does not allow that: the restore would ask for nothing');

async function isRefused(
  { estimate, tiers }: Extract<Retrieval, { kind: 'planned' }>,
  { maxRestoreCost }: Values<typeof flags>,
): Promise<boolean> {
  const { capVerdict } = await import('../core/cost/cost-cap.js');
  return capVerdict(estimate, maxRestoreCost, tiers.length > 0) !== 'within';
}
