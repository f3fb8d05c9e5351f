import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import { conflicts } from '../cli/rule.js';
import type { VersionRecord } from '../core/format/manifest/manifest-types.js';
import type { DrillResult } from '../core/mend/drill/drill.js';
import type { OpenedStore } from '../core/store/open-store.js';
import type { EventSink } from '../core/events/events.js';
import { recordRunFacts, recordRunResult } from './kit/account.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import {
  datasetFlag,
  limitFlags,
  outputFlags,
  placeArg,
  recordFlags,
  storeFlags,
  workersFlag,
  writerFlag,
} from './kit/flags.js';
import type { Drilled } from './kit/drill-lines.js';
import { invalidatingChecks } from './kit/invalidate-checks.js';
import { textOf } from './kit/lines.js';
import { memoryLimit } from './kit/memory-limit.js';
import { stopwatch, withResult } from './kit/run.js';
import { withStore } from './kit/store.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';

const DAY_MS = 86_400_000;

const flags = {
  ...datasetFlag,
  sample: flag.percent({
    placeholder: 'PERCENT',
    default: '1%',
    describe: 'restore this share of the bytes of each newest version, at least one file',
  }),
  files: flag.int([1, 1_000_000], { describe: 'restore this many files instead' }),
  rotate: flag.duration({
    default: '30d',
    describe:
      'take first what no drill has proven within this time, in whole days; drills that are large enough prove everything in it',
  }),
  maxCost: flag.usd({ describe: 'fetch nothing when that is estimated to cost more, or when a price is not known' }),
  scratch: flag.folder({
    describe: 'folder in which a private one is made and removed; that for temporary files when not given',
  }),
  dryRun: flag.on({ describe: 'say what would be restored and what it costs; fetch and record nothing' }),
  ...recordFlags,
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...budgetGateFlags,
  ...writerFlag,
  ...storeFlags('us-west-2'),
  ...telemetryFlags,
  ...outputFlags,
};

export const command = defineCommand({
  path: 'drill',
  summary: 'restore some files for a trial, and record what is proven restorable',
  description:
    'Restores files of the newest version of each dataset (or of one, --dataset-id) as `archiver restore` does, into a private folder, ' +
    'reads them back, and compares size, MD5, time and permissions with the manifest. The folder is removed, also after a failure or Ctrl+C. ' +
    'Files are chosen at random: first those that a drill has found wrong, then those that none has proven within --rotate, then those ' +
    'that were proven longest ago. With a drill of 5% each day everything is proven within 20 days.\n' +
    'What came of it is recorded in the store: `dataset versions`, `info` and the dashboard say how much is proven within those days, ' +
    'and a drill that failed outranks every backup. Content that a later version shares counts for that, too.\n' +
    'Chunks in cold storage are neither read nor requested: files in them are counted and left out. So are files without a checksum. ' +
    'Each content is restored once, under one of its names.',
  args: [placeArg],
  flags,
  rules: [
    conflicts('files', ['sample']),
    ...telemetryRules,
    { kind: 'check', text: '--rotate is at least 1d', ok: ({ rotate }) => rotate >= DAY_MS },
  ],
  examples: [
    'archiver drill s3://acme-archive/lab --sample 5%',
    'archiver drill s3://acme-archive/lab --dataset-id results-1a2b3c4d --files 100 --max-cost 0.50',
    'archiver drill file:///mnt/backup --rotate 90d --scratch /scratch --dry-run',
  ],
  isRecorded: true,
  exits: {
    0: 'every file that was chosen came back as it was',
    1: 'a file could not be restored or came back different, or the store cannot be read',
    3: 'what was restored came back as it was, but content was left out: in cold storage, or without a checksum',
    4: 'it would cost more than --max-cost or a budget allows, or a price is not known; nothing was fetched',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url], context: Context<'drill'>) {
    const { datasetBase } = await import('./kit/dataset-target.js');
    const { newestRecords } = await import('./kit/newest-records.js');
    const { drillDocument, drillLines } = await import('./kit/drill-lines.js');
    const baseUrl = datasetBase(url, values.writerId);
    const elapsed = stopwatch(context);
    if (!values.dryRun) recordRunFacts(context, { operation: 'restore', datasetId: values.datasetId });
    const work = (emit: EventSink) => {
      emit({ type: 'start', operation: 'drill', source: baseUrl, target: '' });
      const call = { baseUrl, values, context, requestsAtOnce: values.workers, onEvent: emit };
      return withStore(call, async (opened) => {
        const drilled: Drilled[] = [];
        const spent = { costUsd: 0 };
        for (const record of await newestRecords(opened.store, values.datasetId, context))
          drilled.push(await drillVersion(record, { opened, emit, spent }, values, context));
        return { drilled, requests: opened.requests };
      });
    };
    const { drilled } = await withResult(context, values, {
      work,
      show: ({ drilled, requests }) => ({
        document: {
          ok: drilled.every(({ result }) => result.ok),
          location: baseUrl,
          dryRun: values.dryRun,
          drills: drilled.map(drillDocument),
          durationMs: elapsed(),
          requests,
        },
        text: () => textOf(drilled.flatMap((one) => drillLines(one, values.dryRun, context))),
      }),
    });
    const sum = (of: (result: DrillResult) => number): number =>
      drilled.reduce((all, { result }) => all + of(result), 0);
    if (!values.dryRun)
      recordRunResult(context, { files: sum(({ files }) => files), bytes: sum(({ bytes }) => bytes) });
    if (drilled.some(({ result }) => !result.ok)) return 1;
    return sum(({ coldFiles, uncheckedFiles }) => coldFiles + uncheckedFiles) === 0 ? 0 : 3;
  },
});

interface Drilling {
  readonly opened: OpenedStore;
  readonly emit: EventSink;
  /** What the datasets before cost. */
  readonly spent: { costUsd: number };
}

async function drillVersion(
  record: VersionRecord,
  { opened, emit, spent }: Drilling,
  values: Values<typeof flags>,
  context: Context<'drill'>,
): Promise<Drilled> {
  const { drill } = await import('../core/mend/drill/drill.js');
  const { readProven } = await import('../core/mend/drill/proven.js');
  const { digestsOf } = await import('../core/dataset/chain/version-view.js');
  const { cappedGate } = await import('./kit/capped-gate.js');
  const { drillChecks } = await import('./kit/drilled-checks.js');
  const { datasetId, uploadId } = record;
  const { signal, now } = context;
  const startedAt = now();
  const days = Math.ceil(values.rotate / DAY_MS);
  const gate = cappedGate({ values, uploadId, opened, context, spent });
  const result = await invalidatingChecks(
    context,
    ({ ok }: DrillResult) => ok,
    async () =>
      drill({
        reader: opened.store,
        uploadId,
        manifestSha256: digestsOf(record),
        amount: values.files === undefined ? { share: values.sample } : { files: values.files },
        days,
        proven: await readProven(opened.store, datasetId, { now: startedAt, days }, signal),
        scratch: resolve(context.cwd, values.scratch ?? tmpdir()),
        dryRun: values.dryRun,
        random: Math.random,
        mayFetch: gate.mayFetch,
        requestsAtOnce: values.workers,
        memoryLimitBytes: memoryLimit(context, 'reading content'),
        now,
        emit,
        signal,
      }),
  );
  const find = () => Promise.resolve(drillChecks(record, result));
  const { recordChecks } = await import('./kit/record-check.js');
  const { NOTHING_RESTORED } = await import('./kit/unrecorded-lines.js');
  const unrecordedReason =
    values.dryRun || result.files === 0
      ? NOTHING_RESTORED
      : await recordChecks(opened, { find, startedAt }, values, context);
  return { record, result, costUsd: gate.costUsd(), unrecordedReason };
}
