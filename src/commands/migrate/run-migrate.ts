// Joins `archiver migrate` to the migration service: flags to options, events to progress, the result to text or JSON.
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { usageError } from '../../core/failures/errors.js';
import { inspectArchive } from '../../core/migrate/inspect-archive.js';
import { migrate, type MigrateOptions, type MigrateResult } from '../../core/migrate/migrate.js';
import type { MigrateValues } from '../migrate.js';
import {
  baseUrlOf,
  DEFAULT_FRAME_BYTES,
  DEFAULT_TRANSFER,
  KEPT_ENCRYPTION,
  machineOptions,
  openForWriting,
  refuseClassOfFolder,
} from '../upload/engine-options.js';
import { confirmCold } from '../upload/run-upload.js';
import { type ArchiveSource, archiveSource } from './archive-source.js';
import { showInspected, showMigrated } from './show-migrate.js';

export interface MigrateTarget {
  readonly source: string;
  readonly destination: string;
}

/** Runs the command; returns its exit status. */
export async function runMigrate(values: MigrateValues, target: MigrateTarget, context: Context): Promise<number> {
  const source = archiveSource(target.source, context.cwd);
  const url = baseUrlOf(target.destination);
  const upload = uploadOptions(values, url, context);
  if (!values.dryRun) await ask(values, source, context);
  const opened = await openForWriting(
    source.storeUrl,
    { ...storeValues(values), storeMode: undefined },
    context,
  )(() => undefined);
  const startedAt = context.now().getTime();
  const archive = { opened, key: source.key, url: source.url, owner: source.owner };
  const { progressFormat } = values;
  try {
    if (values.dryRun) {
      const inspected = await runWithProgress(context, { progressFormat }, (emit) => {
        emit({ type: 'start', operation: 'upload', source: source.url, target: url });
        return inspectArchive({ archive, emit, signal: context.signal });
      });
      const durationMs = context.now().getTime() - startedAt;
      return await showInspected(inspected, { archiveUrl: source.url, requests: opened.requests, durationMs }, context);
    }
    const result = await runWithProgress(context, { progressFormat }, (emit): Promise<MigrateResult> => {
      emit({ type: 'start', operation: 'upload', source: source.url, target: url });
      return migrate({
        archive,
        tempParent: resolve(context.cwd, values.tempDir ?? tmpdir()),
        keepTemp: values.keepTemp,
        validate: !values.skipValidation,
        deleteOriginal: values.deleteOriginal,
        upload,
        emit,
        signal: context.signal,
      });
    });
    return showMigrated(result, context);
  } finally {
    opened.close();
  }
}

const storeValues = ({ region, profile, endpointUrl, storeMode }: MigrateValues) => ({
  region,
  profile,
  endpointUrl,
  limitUpload: undefined,
  storeMode,
});

function uploadOptions(values: MigrateValues, url: string, context: Context): MigrateOptions['upload'] {
  refuseClassOfFolder(url, values);
  return {
    ...machineOptions(context),
    open: openForWriting(url, storeValues(values), context),
    writerId: undefined,
    encryption: KEPT_ENCRYPTION,
    shardStrategy: 'round-robin',
    shardCount: values.shardCount,
    compressionLevel: values.compressionLevel,
    frameBytes: DEFAULT_FRAME_BYTES,
    storageClass: values.storageClass,
    tiers: undefined,
    tags: {},
    project: undefined,
    fileChecksums: true,
    transfer: DEFAULT_TRANSFER,
  };
}

/** Asks before anything begins, so that hours later nobody has to be there. @throws usage when the answer is no */
async function ask(values: MigrateValues, source: ArchiveSource, context: Context): Promise<void> {
  await confirmCold({ ...values, autoTier: false, tierMax: undefined }, context);
  if (!values.deleteOriginal || values.yes) return;
  const question = `${source.url} will be deleted once the upload of everything in it is validated. Continue?`;
  if (!(await context.confirm(question))) throw usageError('not migrated: the answer was no');
}
