import { resolve } from 'node:path';
import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import { ArchiverError, isArchiverError, usageError } from '../core/platform/failures/errors.js';
import type { Selectors } from '../core/format/manifest/selection.js';
import type { OpenedStore } from '../core/store/open-store.js';
import type { UploadLocation } from '../core/store/store-url.js';
import type { RestoreOptions, RestoreResult } from '../core/restore/restore.js';
import {
  limitFlags,
  outputFlags,
  uploadArg,
  uploadTargetFlags,
  uploadTargetRules,
  workersFlag,
  writeFlags,
} from './kit/flags.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import { fetchGate } from './kit/fetch-gate.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';
import { restoreCommand } from './kit/restore-command.js';
import { restoreFiles } from './kit/restore-files.js';
import { NARROWING, patternFlag } from './kit/selectors.js';
import { findUpload, uploadUrl } from './kit/upload-target.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  pattern: patternFlag,
  files: flag.list({
    placeholder: 'PATH,…',
    names: 'entry',
    describe: 'only these paths as they are listed (\\xNN is a byte); a folder includes everything below it',
  }),
  shardIds: flag.ints([0], { placeholder: 'N,…', describe: 'only what is in these shards' }),
  ...writeFlags,
  dryRun: flag.on({ describe: 'show what would be downloaded and fetched; write nothing' }),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...budgetGateFlags,
  ...telemetryFlags,
  ...outputFlags,
};

export const command = defineCommand({
  path: 'download',
  summary: 'download and extract selected files of an upload',
  description:
    `Fetches only the parts of the chunks that hold the chosen files. ${NARROWING} Without any of --files, --pattern and ` +
    '--shard-ids everything is downloaded. Files are written under OUTPUT_DIR by their path ' +
    'in the source folder; see `archiver restore` for how they are written.',
  args: [uploadArg, arg.folderOrStream('OUTPUT_DIR', { describe: 'where the files go; made when it is missing' })],
  flags,
  rules: [...uploadTargetRules, ...telemetryRules],
  examples: [
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --pattern "**/*.csv"',
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --files a.txt,notes/b.txt',
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --shard-ids 0,3 --dry-run',
  ],
  isRecorded: true,
  exits: {
    0: 'downloaded, or already in place',
    1: 'failed, or none of the files could be written',
    3: 'finished, but some files could not be written',
    4: 'it would exceed a budget, or a price is not known and cost is limited; nothing was fetched',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url, folder], context: Context<'download'>) {
    if (folder === '-')
      throw usageError(
        'download writes files into a folder, and nothing to stdout',
        'archiver restore … - --file PATH and archiver cat print files; a folder of that name is typed ./-',
      );
    const outputDir = resolve(context.cwd, folder);
    const target = await findUpload(url, values, context);
    const call = {
      operation: 'download' as const,
      outputDir,
      target,
      manifestSha256: target.manifestSha256,
      selectors: selectorsOf(values),
      openCache: () => Promise.resolve(undefined),
      fillsCache: false,
      fetch: async (options: Omit<RestoreOptions, 'reader'>, opened: OpenedStore) => {
        const { uploadId } = target;
        const check = values.dryRun ? undefined : fetchGate({ values, uploadId, opened, context });
        const result = await restoreReadable({ ...options, reader: opened.store, mayFetch: check }, target);
        return { result, more: undefined };
      },
    };
    return await restoreFiles(values, call, context, (restored) => restored);
  },
});

function selectorsOf({ files, pattern, shardIds }: Values<typeof flags>): Selectors {
  if (files.length === 0 && pattern.length === 0 && shardIds.length === 0) return { all: true };
  return { files, patterns: pattern, ...(shardIds.length === 0 ? {} : { shards: shardIds }) };
}

/**
 * Restores what is readable. Requesting chunks from cold storage costs money and takes hours: that is left to `archiver restore`, which
 * says so first. @throws what `restoreUpload` throws; `cold-storage` with the command that requests them
 */
async function restoreReadable(options: RestoreOptions, target: UploadLocation): Promise<RestoreResult> {
  const { restoreUpload } = await import('../core/restore/restore.js');
  try {
    return await restoreUpload(options);
  } catch (error) {
    if (!isArchiverError(error, 'cold-storage')) throw error;
    const { selectors, outputDir } = options;
    const { files = [], patterns = [], all = false } = selectors;
    // `restore` cannot select by shard.
    const named = files.length + patterns.length > 0 ? files : ['PATH'];
    const hint = restoreCommand({ location: uploadUrl(target), outputDir, files: all ? undefined : named, patterns });
    throw new ArchiverError('cold-storage', error.message, { cause: error, hint });
  }
}
