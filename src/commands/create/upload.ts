import { hostname, totalmem } from 'node:os';
import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { idle, conflictsAcrossLayers, requires } from '../../cli/rule.js';
import { threadsWithin } from '../../core/platform/limits/open-files.js';
import type { SavedUpload } from '../../core/archive/resume/saved-upload.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import {
  DRY_RUN,
  SOURCES,
  filterFlags,
  limitFlags,
  listRule,
  outputFlags,
  sourceRules,
  keptClassFlag,
  storeFlags,
  storeModeFlag,
  yesFlag,
} from '../kit/flags.js';
import { guardFlags, guardOptions } from '../kit/guard-flags.js';
import { ledgerFlags } from '../kit/ledger-flags.js';
import { lockFlags, lockRules } from '../kit/lock-flags.js';
import { telemetryFlags, telemetryRules } from '../kit/telemetry-flags.js';
import { openForWriting } from '../kit/store.js';
import { confirmCold } from '../upload/confirm-cold.js';

/** A chunk is sent in one request from one buffer. */
const MAX_CHUNK_MB = 2000;

const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  storageClass: keptClassFlag,
  ...lockFlags,
  ...ledgerFlags,
  ...budgetGateFlags,
  chunkSizeMb: flag.int([1, MAX_CHUNK_MB, [0]], {
    default: 200,
    describe: 'most data in a chunk, in MB; 0 chooses by the amount of data and memory',
  }),
  shards: flag.int([1, 100], { default: 8, describe: 'key prefixes to spread chunks over' }),
  workers: flag.int([1, 64], { default: 4, describe: 'threads that pack, and requests in flight' }),
  http2: flag.on({
    only: 's3',
    default: true,
    describe: 'use HTTP/2 where the server offers it (S3 itself does not)',
    off: 'use HTTP/1.1 even where the server offers HTTP/2',
  }),
  http2MaxStreams: flag.int([1, 10_000], {
    only: 's3',
    default: 250,
    describe: 'requests at once on an HTTP/2 connection',
  }),
  maxIdleConns: flag.int([0, 10_000], {
    only: 's3',
    default: 100,
    describe: 'connections kept open without a request',
  }),
  idleConnTimeout: flag.duration({
    only: 's3',
    default: '5m',
    describe: 'how long a connection is kept open without a request',
  }),
  networkProfile: flag.choice(['default', 'aggressive', 'conservative'], {
    default: 'default',
    describe: 'aggressive: twice as many requests in flight, short time limits; conservative: half as many, long ones',
  }),
  resume: flag.on({ describe: 'continue the interrupted upload of these folders to the same place, without asking' }),
  uploadId: flag.text({
    short: 'u',
    placeholder: 'ID',
    describe: 'upload to continue; found automatically when not given',
  }),
  skipExisting: flag.on({
    describe:
      'with --resume: read back chunks that the store has but the saved state does not list, and do not send them again',
  }),
  cleanupOnFailure: flag.on({
    default: true,
    alias: 'cleanup',
    describe: 'remove what was sent when the upload fails (not when it is interrupted)',
    off: 'keep what was sent when the upload fails, so that it can be resumed',
  }),
  ...filterFlags,
  ...guardFlags,
  limitUpload: limitFlags.limitUpload,
  dryRun: flag.on({ describe: DRY_RUN }),
  ...telemetryFlags,
  ...outputFlags,
  ...yesFlag,
};

/** Values of the flags of `create upload`. */
export type CreateUploadValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'create upload',
  summary: 'archive one or more folders straight into a bucket',
  description:
    'Scans, packs, compresses and sends at the same time; only the state that a resume needs is written to this ' +
    `computer. ${SOURCES}\n` +
    'Chunks are packed in memory: each thread and each request in flight holds one. Where --memory-limit or half of the ' +
    'memory of this computer does not allow that, fewer are packed at once.',
  args: [
    arg.folder('SOURCE', { describe: 'folder or file to archive', many: true }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder, instead of --bucket' }),
  ],
  flags,
  rules: [
    ...lockRules,
    ...telemetryRules,
    requires('uploadId', 'resume'),
    requires('skipExisting', 'resume'),
    conflictsAcrossLayers('resume', ['dryRun']),
    idle(
      'http2MaxStreams',
      ['http2'],
      '--http2-max-streams needs HTTP/2: leave out --no-http2',
      (v) => v['http2'] === false,
    ),
    idle(
      'idleConnTimeout',
      ['maxIdleConns'],
      '--max-idle-conns 0 keeps no connection open: leave out --idle-conn-timeout',
      (v) => v['maxIdleConns'] === 0,
    ),
    listRule,
    ...sourceRules,
  ],
  examples: [
    'archiver create upload /data/run-0412 --bucket acme-archive --prefix lab',
    'archiver create upload ./photos ./letters --bucket acme-archive --chunk-size-mb 64',
    'archiver create upload /data --bucket acme-archive --resume',
  ],
  isRecorded: true,
  exits: {
    0: 'uploaded and committed (special files such as sockets are left out and named)',
    1: 'failed; nothing of the upload is visible, and what was sent was removed unless --no-cleanup',
    3: 'uploaded and committed, but some files could not be read or changed while they were read',
    4: 'it would exceed a budget, most of the folders is gone (--allow-mass-delete), the store has forgotten the dataset (--new-store), or it creates no key only once and may not be listed (--create-once); nothing was sent',
  },
  keepsMemoryLimit: () => true,
  async run(values, [sources, destination], context: Context<'create upload'>) {
    return await runCreateUpload(values, { sources, destination }, context);
  },
});

const MB = 1e6;

interface CreateTarget {
  readonly sources: readonly string[];
  readonly destination: string;
}

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runCreateUpload(
  typed: CreateUploadValues,
  { sources: given, destination }: CreateTarget,
  context: Context<'create upload'>,
  opened?: SavedUpload,
): Promise<number> {
  const { baseUrlOf, filterOptions, uploadMemoryLimit, engineEnvironment } =
    await import('../upload/engine-options.js');
  const { classOption, lockOption, withoutClassOfFolder } = await import('../kit/place-options.js');
  const { runArchive } = await import('../upload/run-archive.js');
  const { networkSettings } = await import('./network.js');
  const { openNamed } = await import('./open-named.js');
  const { findSources } = await import('../upload/sources.js');
  const { asBegun } = await import('../upload/resumable.js');
  const url = baseUrlOf(destination);
  const prepare = async () => {
    const { named, root, origin, skipTrees } = findSources(given, context, [url]);
    const where = { command: 'create upload', sources: named, destination: url, storeUrl: url };
    const { values: asked, origins } = typed.resume
      ? await asBegun(typed, { ...where, values: typed }, context)
      : { values: typed, origins: context.origins };
    const values = withoutClassOfFolder(url, asked, context);
    const network = networkSettings(values);
    const limitBytes = uploadMemoryLimit(context);
    await confirmCold({ ...values, autoTier: false, tierMax: undefined }, context);
    const options = {
      ...engineEnvironment(context),
      source: root,
      dataset: {
        ...guardOptions(values),
        ...(origin && { origin: { ...origin, owner: hostname() } }),
      },
      filter: { ...(await filterOptions(values, skipTrees, context)), namesLeftOut: values.dryRun && context.verbose },
      failFast: values.failFast,
      labels: { project: values.project },
      dryRun: values.dryRun,
      packing: {
        workers: threadsWithin(values.workers),
        memoryLimitBytes: await memoryOf(values, network.requests, limitBytes),
      },
      layout: {
        shardCount: values.shards,
        chunkBytes: values.chunkSizeMb === 0 ? undefined : values.chunkSizeMb * MB,
        ...classOption(url, values, { origins }),
        lock: lockOption(values, url),
      },
      transfer: { requests: network.requests },
      resume: { cleansUp: values.cleanupOnFailure, readsBack: values.skipExisting },
    };
    const run = { ...where, values };
    return {
      ...run,
      progressFormat: values.progressFormat,
      policy: values.resume ? 'resume' : 'ask',
      opened: opened ?? (await openNamed(run, values, context)),
      options,
      open: openForWriting(url, values, context, network),
    } as const;
  };
  return await runArchive({ command: 'create upload', values: typed, sources: given, storeUrl: url }, prepare, context);
}

async function memoryOf(
  { workers, chunkSizeMb }: CreateUploadValues,
  requests: number,
  limitBytes: number | undefined,
): Promise<number | undefined> {
  const { DEFAULT_FRAME_BYTES: frameBytes } = await import('../../core/archive/run/settings.js');
  const { uploadMemory } = await import('./upload-memory.js');
  return uploadMemory({ limitBytes, machineBytes: totalmem(), workers, requests, frameBytes, chunkSizeMb });
}
