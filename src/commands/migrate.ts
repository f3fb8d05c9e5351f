import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context, Environment, Pricing, Terminal } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import type { ArchiveSource } from '../core/mend/migrate/archive-source.js';
import type { MigrateResult } from '../core/mend/migrate/migrate.js';
import type { OpenedStore } from '../core/store/open-store.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { formatQuantity } from '../ui/format.js';
import { lookOf } from '../ui/look.js';
import { recordRunFacts, recordRunResult } from './kit/account.js';
import { requireConfirmation } from './kit/ask.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import { outputFlags, storeFlags, storeModeFlag, yesFlag } from './kit/flags.js';
import { createOnceFlag } from './kit/guard-flags.js';
import { projectFlag } from './kit/ledger-flags.js';
import { lockFlags, lockRules } from './kit/lock-flags.js';
import { fact, textOf } from './kit/lines.js';
import { stopwatch, withProgress, withResult } from './kit/run.js';
import { uploadGate } from './kit/slots.js';
import { openForWriting, withStore } from './kit/store.js';
import { confirmCold } from './upload/confirm-cold.js';

const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  ...createOnceFlag,
  compressionLevel: flag.int([1, 22], { default: 3, describe: 'zstd level' }),
  shardCount: flag.int([1, 100], { default: 8, describe: 'key prefixes to spread chunks over' }),
  storageClass: flag.choice(['STANDARD', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'DEEP_ARCHIVE'], {
    default: 'STANDARD',
    describe: 'storage class of the chunks; the manifest is always STANDARD',
  }),
  ...lockFlags,
  ...projectFlag,
  ...budgetGateFlags,
  deleteOriginal: flag.on({ describe: 'delete SOURCE_ARCHIVE when everything in it was migrated and validated' }),
  dryRun: flag.on({
    describe:
      'list what is in the archive, the space it needs, where it would go and what that costs at most, write nothing',
  }),
  keepTemp: flag.on({ describe: 'keep the extracted files' }),
  skipValidation: flag.on({ describe: 'do not compare the upload with the archive' }),
  tempDir: flag.folder({ describe: 'folder to extract in; by default that of the system for temporary files' }),
  ...outputFlags,
  ...yesFlag,
};

export const command = defineCommand({
  path: 'migrate',
  summary: 'turn a tar archive into an upload with shards and a manifest',
  description:
    'Reads SOURCE_ARCHIVE as a stream, extracts it to a private temporary folder, uploads that folder and compares the ' +
    'manifest with what the archive said. What the archive is (tar, tar.gz or tar.zst) is decided by its content, whatever ' +
    'its name. The temporary folder is removed however it ends, unless --keep-temp is given.\n' +
    'The dataset is that of the archive: migrating it again makes the next version. Members keep their paths, modes, ' +
    'times to the nanosecond, symbolic and hard links, holes, extended attributes and POSIX access control lists (of tar, star ' +
    'and bsdtar). Owners are taken as numbers, and only root can keep them; so are accounts in access control lists, ' +
    'and where the archive has a name alone, its number on this computer. Access control lists of NFS, times of access ' +
    'and names of owners are not kept. What was lost is named in the result (not kept). Setuid and setgid bits ' +
    'are recorded; files that --keep-temp leaves on this computer lose them.\n' +
    'Devices and FIFOs are left out and named. Members that lead out of the folder (absolute, with .., below a link) are ' +
    'refused and named, and the rest is migrated. Of members with one name the last one counts. An archive that is damaged ' +
    'or cut off is not uploaded.\n' +
    'The original is only ever deleted when nothing was left out, refused or lost, not even an owner.',
  args: [
    arg.text('SOURCE_ARCHIVE', {
      describe: 's3://bucket/key, file:///path/archive.tar.zst, or the path of a file',
      looksLike: /\.(?:tar|t?gz|t?zst)$/i,
    }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder' }),
  ],
  flags,
  rules: [
    ...lockRules,
    {
      kind: 'check',
      text: '--delete-original needs the validation that --skip-validation leaves out',
      ok: (v) => !(v.deleteOriginal && v.skipValidation),
    },
  ],
  examples: [
    'archiver migrate s3://acme-archive/old/run-0412.tar.zst s3://acme-archive/lab',
    'archiver migrate ./photos.tar.gz file:///mnt/backup --dry-run',
    'archiver migrate s3://acme-archive/old/run-0412.tar.zst s3://acme-archive/lab --temp-dir /scratch --delete-original --yes',
  ],
  isRecorded: true,
  exits: {
    0: 'migrated, and validated unless --skip-validation was given (devices and FIFOs are left out and named)',
    1: 'failed; before the upload began, nothing was written to DESTINATION',
    3: 'migrated, but something in the archive was refused, or the original was kept although it was to be deleted',
    4: 'it would exceed a budget, or the store creates no key only once and may not be listed (--create-once); nothing was sent',
  },
  keepsMemoryLimit: () => true,
  async run(asked, [given, destination], context: Context<'migrate'>) {
    const { archiveSource } = await import('../core/mend/migrate/archive-source.js');
    const { baseUrlOf, lockOption, uploadMemoryLimit, withoutClassOfFolder } =
      await import('./upload/engine-options.js');
    const source = archiveSource(given, context.cwd);
    const url = baseUrlOf(destination);
    const values = withoutClassOfFolder(url, asked, context);
    const { compressionLevel, shardCount, storageClass } = values;
    const upload = {
      now: context.now,
      packing: { compressionLevel, memoryLimitBytes: uploadMemoryLimit(context) },
      layout: { shardCount, storageClass, lock: lockOption(values, url) },
      labels: { project: values.project },
    };
    const gate = uploadGate(values, context);
    if (!values.dryRun) await ask(values, source, context);
    const { inspectArchive } = await import('../core/mend/migrate/inspect-archive.js');
    const { migrate } = await import('../core/mend/migrate/migrate.js');
    const call = { baseUrl: source.storeUrl, values: { ...values, storeMode: undefined }, context };
    return await withStore(call, async (opened) => {
      const elapsed = stopwatch(context);
      const { signal } = context;
      const archive = { opened, key: source.key, url: source.url, owner: source.owner };
      const start = { type: 'start', operation: 'migrate', source: source.url, target: url } as const;
      if (values.dryRun) {
        const { inspectDestination } = await import('../core/archive/inspect-destination.js');
        const { showInspected } = await import('./migrate/show-inspected.js');
        const { inspected, destination } = await withProgress(context, values, async (emit) => {
          emit(start);
          const inspected = await inspectArchive({ archive, emit, signal });
          const open = (): Promise<OpenedStore> => openForWriting(url, values, context)(emit);
          return { inspected, destination: await inspectDestination(open, inspected.datasetId, signal) };
        });
        const about = { archiveUrl: source.url, requests: opened.requests, durationMs: elapsed(), destination };
        return await showInspected(inspected, { ...about, storageClass, shardCount, values }, context);
      }
      const { partial } = await withResult(context, values, {
        work: async (emit) => {
          emit(start);
          recordRunFacts(context, { operation: 'migrate', project: values.project });
          const result = await migrate({
            archive,
            tempParent: resolve(context.cwd, values.tempDir ?? tmpdir()),
            keepTemp: values.keepTemp,
            validate: !values.skipValidation,
            deleteOriginal: values.deleteOriginal,
            open: openForWriting(url, values, context),
            upload: { ...upload, uploadGate: gate(emit) },
            emit,
            signal,
          });
          recordRunResult(context, result);
          return result;
        },
        show: async (result) => {
          const { partial: _, shards: shardCount, billed: _billed, measured: _measured, ...document } = result;
          const { actualCost, actualCostDocument } = await import('./upload/actual-cost.js');
          const cost = actualCost(result, context);
          const lines = await migratedLines(result, context);
          const priced = cost === undefined ? {} : { cost: actualCostDocument(cost) };
          return { document: { ...document, shardCount, ...priced }, text: () => textOf(lines) };
        },
      });
      return partial ? 3 : 0;
    });
  },
});

/** Asks before anything begins, so that nobody has to be there when it ends hours later. @throws usage when the answer is no */
async function ask(values: Values<typeof flags>, source: ArchiveSource, context: Context<'migrate'>): Promise<void> {
  await confirmCold({ ...values, autoTier: false, tierMax: undefined }, context);
  if (!values.deleteOriginal || values.yes) return;
  const question = `${source.url} will be deleted once the upload of everything in it is validated. Continue?`;
  await requireConfirmation(context, question, 'not migrated');
}

async function migratedLines(result: MigrateResult, context: Environment & Terminal & Pricing): Promise<string[]> {
  const { finalLines } = await import('../screens/progress/final-lines.js');
  const { actualCost, actualCostFacts } = await import('./upload/actual-cost.js');
  const { version, skipped } = result;
  const [headline = '', ...details] = finalLines(
    { ...result, version: version ?? 0, operation: 'upload', problems: skipped },
    lookOf(context.colors.stdout, context.env),
  );
  return [
    headline,
    fact('archive', `${printable(result.archive)} (${result.format}), ${originalText(result)}`),
    fact('validated', result.validated ? `${formatQuantity(result.entries, 'path')} as in the archive` : 'no'),
    ...actualCostFacts(actualCost(result, context)),
    ...result.notKept.map((sentence) => fact('not kept', sentence)),
    ...(result.tempFolder === undefined ? [] : [fact('temporary', printable(result.tempFolder))]),
    ...details,
  ];
}

function originalText({ originalDeleted, originalKept }: MigrateResult): string {
  if (originalDeleted) return 'deleted';
  return originalKept === undefined ? 'kept' : `not deleted: ${originalKept}`;
}
