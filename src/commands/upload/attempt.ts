// One attempt at an upload: archives into the store of a call, and does what follows the commit.
import type { Context } from '../../cli/context.js';
import type { Aside, ProgressFormat } from '../../cli/progress.js';
import type { AfterUpload, UploadParts } from '../../cli/slots.js';
import { archiveInto } from '../../core/archive/archive-folder.js';
import type { ArchiveOptions } from '../../core/archive/run/settings.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import type { EventSink } from '../../core/events/events.js';
import { defined } from '../../core/platform/defined.js';
import { recordRunResult, recordUploadShape } from '../kit/account.js';
import { uploadGate } from '../kit/slots.js';
import type { OpenForWriting } from '../kit/store.js';
import { namesakeOf, typedNameOf } from './ask-dataset.js';
import { type DryRun, type GatedAmounts, isDryRun, withGates } from './dry-run.js';
import type { Archived } from './notified-run.js';
import type { ResumableOptions } from './resumable.js';
import type { UploadCommand } from './saved-command.js';

export type Options = Omit<ArchiveOptions, 'emit'>;

export interface ArchiveCall extends UploadCommand, ResumableOptions {
  readonly progressFormat: ProgressFormat | undefined;
  readonly options: Options;
  readonly open: OpenForWriting;
  /** Archives what is no folder; `archiveInto` for folders. */
  readonly archive?: typeof archiveInto;
  /** True for what cannot be read again, so that it is not resumable. */
  readonly isReadOnce?: boolean;
  /** Called once the upload is committed. */
  readonly after?: AfterUpload | undefined;
  /** Findings about the store, as keys of the document. */
  readonly found?: UploadParts;
  /** Returns what a dry run would put elsewhere: budgets are asked for all of it together. */
  readonly planned?: (plan: DryRun) => Promise<readonly GatedAmounts[]>;
}

export interface Attempt {
  readonly call: ArchiveCall;
  readonly options: Options;
  readonly context: Context<'upload'>;
  readonly emit: EventSink;
  readonly aside: Aside;
}

export type MakeAttempt = (attempt: Attempt) => Promise<Archived>;

/** Makes it. @throws what archiving throws, and what follows it */
export async function makeAttempt({ call, options, context, emit, aside }: Attempt): Promise<Archived> {
  const { sources, storeUrl, open } = call;
  const operation = call.command === 'sync' ? 'sync' : 'upload';
  const source = sources.map(({ given }) => given).join(' ');
  emit({ type: 'start', operation, source, target: storeUrl });
  // A full upload takes nothing over: only what would be compared is asked about.
  const compares = options.dataset?.changes !== undefined;
  const asking = { context, aside, isPlan: options.dryRun === true };
  const isContinued = options.resume?.saved !== undefined;
  const dataset = {
    ...options.dataset,
    namesake: compares ? namesakeOf(asking) : undefined,
    typedName: isContinued ? undefined : typedNameOf(asking),
  };
  const make = call.archive ?? archiveInto;
  const gate = uploadGate(call.values, context);
  const made = await make(() => open(emit), { ...options, dataset, uploadGate: gate(emit), emit });
  const more = isDryRun(made) ? await call.planned?.(made) : undefined;
  const result = isDryRun(made) ? await withGates(made, call.values, context, more) : made;
  recordRunResult(context, result);
  recordShape(call, result, context);
  return { result, after: await call.after?.(result, open, emit) };
}

/** Records the shape of the version that was made. */
function recordShape({ options }: ArchiveCall, result: UploadResult, context: Context): void {
  if (result.version === null) return;
  const { packing = {}, layout = {}, dataset } = options;
  const { files, bytes, storedBytes, chunks, shards, durationMs } = result;
  const requests = Object.values({ ...result.requests }).reduce((sum, count) => sum + count, 0);
  const parameters = defined({
    storageClass: layout.storageClass,
    compressionLevel: packing.compressionLevel,
    frameBytes: packing.frameBytes,
    shards,
    dedup: packing.dedup,
    direct: layout.direct !== undefined,
    changesOnly: dataset?.changes !== undefined,
  });
  recordUploadShape(context, { files, bytes, storedBytes, chunks, durationMs, requests, parameters });
}
