// Finds the upload that a command names: by its URL, by --bucket, --prefix and --upload-id, or as a version of a dataset, for which the
// store is asked. Every command that reads uses this.
import type { ChosenUpload, UploadChoice } from '../../core/dataset/find-upload.js';
import { isArchiverError, undefinedOn, usageError } from '../../core/platform/failures/errors.js';
import { joinStoreUrl, splitUploadUrl, type UploadLocation } from '../../core/store/store-url.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { SessionStore } from '../../core/store/store-session.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { mayBeUploadId, uploadUrlOf, type UploadId } from '../../core/store/ids/upload-id.js';
import type { VersionSelector } from '../../core/dataset/records/version-selector.js';
import { openForSession, retryNotes, type StoreContext, type StoreValues, withStore } from './store.js';

export interface TargetValues {
  readonly uploadId: string | undefined;
  readonly datasetId: string | undefined;
  readonly version: string | undefined;
  readonly asOf: string | undefined;
  readonly gitCommit?: readonly string[];
  /** Given by commands that look below the base of a fleet. */
  readonly allWriters?: boolean;
}

/** The upload that a call names, or a version of a dataset that the store has to be asked for. */
export interface Target extends UploadChoice {
  readonly baseUrl: string;
}

export interface FoundUpload extends UploadLocation, ChosenUpload {
  /** The open store, where it had to be asked: `withStore` uses it and closes it. */
  readonly session?: SessionStore;
}

/** Resolves the target without asking the store. @throws usage for flags that contradict each other */
export async function targetOf(place: string, values: TargetValues, { origins }: StoreContext): Promise<Target> {
  const { datasetId: dataset } = values;
  const named = splitUploadUrl(place);
  const isVersionTyped = ['datasetId', 'version', 'asOf', 'allWriters'].some((key) => origins[key] === 'flag');
  if (named !== undefined && isVersionTyped) {
    throw usageError(
      `${printable(place)} is an upload, and datasets lie above uploads/`,
      'leave out /uploads/… at the end, or what names a dataset and version',
    );
  }
  if (named !== undefined && values.uploadId !== undefined && values.uploadId !== named.uploadId)
    throw usageError('--upload-id and the URL name different uploads');
  const baseUrl = named?.baseUrl ?? joinStoreUrl(place);
  const uploadId = named?.uploadId ?? values.uploadId;
  if (uploadId === undefined) return { baseUrl, uploadId, dataset, ...(await wantedVersion(values)) };
  return { baseUrl, uploadId: checkId(uploadId, baseUrl), dataset: undefined, selector: { kind: 'head' }, commits: [] };
}

/** The version that --version or --as-of names, or else the newest one, possibly of a commit. */
async function wantedVersion(values: TargetValues): Promise<Pick<Target, 'selector' | 'commits'>> {
  const { version, asOf, gitCommit = [] } = values;
  const isNamed = (version ?? asOf) !== undefined;
  return { selector: await selectorOf(values), commits: isNamed ? [] : gitCommit };
}

async function selectorOf({ version, asOf }: TargetValues): Promise<VersionSelector> {
  const { parseVersionSelector } = await import('../../core/dataset/records/version-selector.js');
  if (version !== undefined) return parseVersionSelector(version);
  if (asOf === undefined) return { kind: 'head' };
  const selector = parseVersionSelector(asOf);
  if (selector.kind !== 'by') throw usageError('--as-of wants a day such as 2026-03-31', 'a version goes to --version');
  return selector;
}

/** Asks the store for the version, where no upload is named. @throws what `findUpload` of the engine throws */
export async function findTarget(reader: ObjectReader, target: Target, context: StoreContext): Promise<FoundUpload> {
  const { findUpload: find } = await import('../../core/dataset/find-upload.js');
  const { warn, note, signal } = context;
  return { baseUrl: target.baseUrl, ...(await find(reader, target, { warn, note, signal })) };
}

/** Finds the upload that a call names. The store is opened only where it has to be asked. @throws what `targetOf` and `findTarget` throw */
export async function findUpload(
  url: string,
  values: TargetValues & StoreValues & { readonly workers?: number },
  context: StoreContext,
): Promise<FoundUpload> {
  const target = await targetOf(url, values, context);
  const { baseUrl, uploadId } = target;
  if (uploadId !== undefined) {
    const { DIGESTS_OF_RECORD } = await import('../../core/dataset/records/assert-expected.js');
    return { baseUrl, uploadId, version: undefined, manifestSha256: DIGESTS_OF_RECORD };
  }
  if (values.allWriters === true) return await findBelow(target, values, context);
  return await findIn(target, values, context);
}

/** Asks the store at the target's base; a dataset that only writers below may have is said to be looked for there. */
async function findIn(
  target: Target,
  values: TargetValues & StoreValues & { readonly workers?: number },
  context: StoreContext,
): Promise<FoundUpload> {
  const session = await openForSession(target.baseUrl, values, context, values.workers);
  const { opened, during } = session;
  try {
    return { ...(await during(retryNotes(context), () => findTarget(opened.store, target, context))), session };
  } catch (error) {
    const told = values.allWriters === false ? await namingWriters(error, opened.store, context) : error;
    opened.close();
    throw told;
  }
}

/** Finds the writer below the base that has the dataset, and asks for the version there. */
async function findBelow(
  target: Target,
  values: TargetValues & StoreValues & { readonly workers?: number },
  context: StoreContext,
): Promise<FoundUpload> {
  const { placeOfDataset } = await import('../../core/dataset/records/writers-below.js');
  const { baseUrl, dataset } = target;
  const place = await withStore({ baseUrl, values, context }, ({ store }) =>
    placeOfDataset(store, dataset, context.signal),
  );
  return await findIn({ ...target, baseUrl: joinStoreUrl(baseUrl, place) }, { ...values, allWriters: true }, context);
}

/** Adds to an error about a dataset that is not there how many writers lie below. */
async function namingWriters(error: unknown, store: ObjectReader, { signal }: StoreContext): Promise<unknown> {
  if (!isArchiverError(error, 'not-found')) return error;
  const { listWriters } = await import('../../core/dataset/records/find-places.js');
  const { withWriters } = await import('../../core/dataset/records/writers-below.js');
  const found = await listWriters(store, signal).catch(undefinedOn('access-denied', 'store', 'stalled', 'io'));
  return withWriters(error, found?.places.length ?? 0);
}

function checkId(uploadId: string, baseUrl: string): UploadId {
  if (mayBeUploadId(uploadId)) return uploadId;
  throw usageError(
    `'${printable(uploadId)}' is not an upload id`,
    `it looks like 20251114-093012-1a2b3c4d; archiver list ${printable(baseUrl)} shows those that there are`,
  );
}

/** The URL of an upload. */
export const uploadUrl = ({ baseUrl, uploadId }: UploadLocation): string => uploadUrlOf(baseUrl, uploadId);
