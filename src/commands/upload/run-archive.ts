// The common part of `upload`, `sync` and `create upload` once their flags are read: continue an interrupted run where that is wanted,
// archive, show the result.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { type ProgressFormat, runToResult } from '../../cli/progress.js';
import type { UploadParts } from '../../cli/slots.js';
import { resolveSource } from '../../core/archive/scan/source-folder.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import type { RunAbout } from '../../core/events/run-about.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';
import { joinStoreUrl } from '../../core/store/store-url.js';
import { type AlsoCall, withOthers } from './also/with-others.js';
import { recordRunFacts } from '../kit/account.js';
import { writerIdOf } from '../kit/dataset-target.js';
import { documentParts } from '../kit/pieces.js';
import { afterUpload, provenanceOf } from '../kit/slots.js';
import { type ArchiveCall, makeAttempt, type Options } from './attempt.js';
import { type DryRun, isDryRun, pathDocuments, printPaths } from './dry-run.js';
import { baseUrlOf, filterOptions, type FilterValues, engineEnvironment } from './engine-options.js';
import { encryptionOptions, type EncryptionValues } from '../kit/place-options.js';
import { type Archived, type NotifiedCall, runNotified } from './notified-run.js';
import {
  objectCall,
  objectOrigin,
  objectServer,
  objectSources,
  type ObjectValues,
  refuseIdleFlags,
} from './object-source.js';
import { openResumable } from './resumable.js';
import { isPartial, shownUpload, uploadDocument } from './show-upload.js';
import { findSources, refuseProvenance, type Sources } from './sources.js';
import { warnOfUnwritableHome } from './unwritable-home.js';

/** A call that may be made for several stores. */
export interface ArchiveRun extends ArchiveCall {
  readonly also?: AlsoCall | undefined;
}

/**
 * Archives the folders that `prepare` returns and prints the result; returns the exit status. A failure of `prepare`, such as a missing
 * folder, is notified, too.
 */
export async function runArchive(
  begun: NotifiedCall,
  prepare: () => Promise<ArchiveRun>,
  context: Context<'upload'>,
): Promise<number> {
  const { result, after, found } = await runNotified(
    begun,
    async () => await archive(await prepare(), context),
    context,
  );
  if (listsPaths(result, context)) {
    const contents = () => pathDocuments(result);
    if (context.json)
      await context.streamDocument(documentParts(uploadDocument(result, context, { found }), { contents }));
    else await printPaths(result, context);
  }
  return isPartial(result, after) ? 3 : 0;
}

async function archive(
  call: ArchiveRun,
  context: Context<'upload'>,
): Promise<Archived & { readonly found: UploadParts }> {
  const { progressFormat, found = {} } = call;
  const keeping = await warnOfUnwritableHome(context);
  context.account.onTrouble = keeping;
  const options = { ...call.options, warn: keeping };
  const operation = call.command === 'sync' ? 'sync' : 'upload';
  if (options.dryRun !== true) recordRunFacts(context, { operation, ...labelsOf(call) });
  // A list of files is printed as it is made.
  const show = ({ result, after }: Archived) =>
    context.json && listsPaths(result, context) ? undefined : shownUpload(result, context, { found, after });
  const { options: resumed, close } =
    call.isReadOnce === true ? { options, close: undefined } : await openResumable(call, call, context, options);
  try {
    return await runToResult(context, { progressFormat, show }, async (emit, aside) => {
      const attempt = { call, options: resumed, context, emit, aside };
      const { also } = call;
      return { ...(await (also === undefined ? makeAttempt(attempt) : withOthers(also, attempt, makeAttempt))), found };
    });
  } finally {
    await close?.();
  }
}

/** Facts for the record of the run that are known before anything is sent. */
function labelsOf({ options: { labels, dataset }, values }: ArchiveCall): Partial<RunAbout> {
  const { git } = labels?.provenance ?? {};
  const stage = values['dvcStage'];
  return {
    project: labels?.project,
    writerId: dataset?.writerId,
    gitCommit: git?.commit,
    dvcStage: typeof stage === 'string' ? stage : undefined,
  };
}

const listsPaths = (result: UploadResult, { verbose }: Context): result is DryRun => verbose && isDryRun(result);

/** One folder, and where it goes. */
export interface FolderTarget {
  /** The place above `uploads/`, without the writer. */
  readonly base: string;
  readonly url: string;
  readonly writerId: string | undefined;
  readonly source: RawPath;
}

/** Returns where the upload of one folder goes. @throws usage for the URL of an upload */
export function storeOf(destination: string, writer: string): Omit<FolderTarget, 'source'> {
  const base = baseUrlOf(destination);
  const writerId = writerIdOf(writer);
  return { base, url: writerId === undefined ? base : joinStoreUrl(base, 'writers', writerId), writerId };
}

/** Returns where one folder is and where its upload goes. @throws usage for the URL of an upload; what `resolveSource` throws */
export const placesOf = (
  source: string,
  destination: string,
  writer: string,
  { cwd }: Pick<Context, 'cwd'>,
): FolderTarget => ({ ...storeOf(destination, writer), source: resolveSource(source, cwd) });

/** Sources, and where they go. */
export interface SourcesTarget extends Omit<FolderTarget, 'source'> {
  readonly sources: Sources;
}

/** The sources of a call, with its own values: a run that goes on in another store reads them as it would have. */
export interface SourcesCall {
  readonly sources: readonly string[];
  readonly values: ObjectValues;
  readonly context: Context<'upload'>;
}

/** Returns where sources are and where their upload goes; `others` are left out of them as that place is. @throws usage for the URL of an upload; what `findSources` throws */
export function targetOf(
  { sources: given, values, context }: SourcesCall,
  destination: string,
  writer: string,
  others: readonly string[] = [],
): SourcesTarget {
  const place = storeOf(destination, writer);
  const sources = objectSources(given, values, context) ?? findSources(given, context, [place.base, ...others]);
  refuseIdleFlags(sources, context);
  return { ...place, sources };
}

interface FolderValues extends FilterValues, EncryptionValues, ObjectValues {
  readonly datasetId: string | undefined;
  readonly newDataset: boolean;
  readonly failFast: boolean;
  readonly project: string | undefined;
  readonly dryRun: boolean;
}

/** Converts the flags about sources to options of the engine, for `upload` and `sync`. @throws usage for what is about one folder */
export async function folderOptions(
  values: FolderValues,
  { url, writerId, sources }: SourcesTarget,
  context: Context<'upload'>,
): Promise<Pick<Options, 'labels' | 'dataset' | 'source'> & Options> {
  const { datasetId, newDataset, failFast, dryRun } = values;
  const { root, folder, skipTrees, objects } = sources;
  const owner = writerId ?? hostname();
  const origin =
    objects === undefined ? sources.origin && { ...sources.origin, owner } : await objectOrigin(objects, context);
  refuseProvenance(sources, { ...values }, context);
  const provenance =
    folder === undefined ? undefined : await provenanceOf({ values: { ...values }, source: folder, context });
  return {
    ...engineEnvironment(context),
    source: root,
    dataset: {
      id: datasetId === undefined ? undefined : checkDatasetId(datasetId),
      newDataset,
      writerId,
      ...(origin && { origin }),
      encryption: encryptionOptions(values, url, context),
    },
    filter: { ...(await filterOptions(values, skipTrees, context)), namesLeftOut: dryRun && context.verbose },
    failFast,
    labels: { provenance, project: values.project },
    dryRun,
  };
}

/** The other fields of a call. */
export async function folderCall(
  values: FolderValues & { readonly progressFormat: ProgressFormat | undefined },
  { base, url, sources }: SourcesTarget,
  context: Context<'upload'>,
): Promise<Omit<ArchiveCall, 'command' | 'policy' | 'opened' | 'options' | 'open' | 'found'>> {
  const { folder: source, named, objects } = sources;
  return {
    ...objectCall(sources, values, context),
    // Objects of another server are not those that an interrupted run has read.
    values: { ...values, ...(objects && { sourceEndpointUrl: (await objectServer(objects, context)) ?? 'aws' }) },
    progressFormat: values.progressFormat,
    sources: named,
    destination: base,
    storeUrl: url,
    after: source === undefined ? undefined : await afterUpload({ values: { ...values }, source, context }),
  };
}
