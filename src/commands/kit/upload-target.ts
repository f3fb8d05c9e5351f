// Which upload a command means: its URL, or --bucket, --prefix and --upload-id, or a version of a dataset, which the store is
// asked for. The one way there for every command that reads.
import { usageError } from '../../core/failures/errors.js';
import { joinStoreUrl, splitUploadUrl, type UploadLocation } from '../../core/object-store/store-url.js';
import type { ObjectReader } from '../../core/object-store/object-store.js';
import { printable } from '../../core/paths/raw-path.js';
import { mayBeUploadId, uploadUrlOf, type UploadId } from '../../core/manifest/upload-id.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import type { VersionSelector } from '../../core/dataset/records/version-selector.js';
import { openForSession, retryNotes, type SessionStore, type StoreContext, type StoreValues } from './store.js';
import type { ExpectedDigests } from '../../core/dataset/records/assert-expected.js';
import { type VersionName, versionName } from '../../core/dataset/records/version-name.js';

export interface TargetValues {
  readonly uploadId: string | undefined;
  readonly datasetId: string | undefined;
  readonly version: string | undefined;
  readonly asOf: string | undefined;
  readonly gitCommit?: readonly string[];
}

/** What a call names: an upload, or a version of a dataset that the store has to be asked for. */
export interface Target {
  readonly baseUrl: string;
  readonly uploadId: UploadId | undefined;
  readonly dataset: string | undefined;
  readonly selector: VersionSelector;
  /** Where no version is named: the newest that was made at one of these commits is meant, if there is one. */
  readonly commits: readonly string[];
}

/** A version as it was found. */
export interface DatasetVersion extends VersionName {
  readonly datasetId: string;
}

export interface FoundUpload extends UploadLocation {
  /** Undefined where the upload itself was named. */
  readonly version: DatasetVersion | undefined;
  /** Nobody named the version: it is the newest there is. */
  readonly isNewest?: boolean;
  /** Digests that its manifest may have; undefined where any will do. */
  readonly manifestSha256: ExpectedDigests | undefined;
  /** The store, where it had to be asked: `withStore` goes on with it, and closes it. */
  readonly session?: SessionStore;
}

/** What is named without asking the store. @throws usage for what contradicts itself */
export async function targetOf(place: string, values: TargetValues, { origins }: StoreContext): Promise<Target> {
  const { datasetId: dataset } = values;
  const named = splitUploadUrl(place);
  const isVersionTyped = ['datasetId', 'version', 'asOf'].some((key) => origins[key] === 'flag');
  if (named !== undefined && isVersionTyped) {
    throw usageError(
      `${printable(place)} is an upload, and datasets lie above uploads/`,
      'leave out /uploads/… at the end, or the dataset and version',
    );
  }
  if (named !== undefined && values.uploadId !== undefined && values.uploadId !== named.uploadId)
    throw usageError('--upload-id and the URL name different uploads');
  const baseUrl = named?.baseUrl ?? joinStoreUrl(place);
  const uploadId = named?.uploadId ?? values.uploadId;
  if (uploadId === undefined) return { baseUrl, uploadId, dataset, ...(await wantedVersion(values)) };
  return { baseUrl, uploadId: checkId(uploadId, baseUrl), dataset: undefined, selector: { kind: 'head' }, commits: [] };
}

/** The version that --version or --as-of name, else the newest, perhaps of a commit. */
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

/** Asks the store for the version, where no upload is named. @throws what `resolveListed` and `versionAtCommit` throw */
export async function findTarget(reader: ObjectReader, target: Target, context: StoreContext): Promise<FoundUpload> {
  const { baseUrl, uploadId, dataset, selector, commits } = target;
  if (uploadId !== undefined) return { baseUrl, uploadId, version: undefined, manifestSha256: undefined };
  const { resolveListed } = await import('../../core/dataset/records/version-selector.js');
  const { jumpOf } = await import('../../core/dataset/records/doubts.js');
  const { digestsOf } = await import('../../core/dataset/chain/version-view.js');
  const atCommit = commits.length === 0 ? undefined : await recordAtCommit(reader, dataset, commits, context);
  const { record, listed } =
    atCommit === undefined
      ? await resolveListed(reader, dataset, selector, { warn: context.warn, signal: context.signal })
      : { record: atCommit, listed: undefined };
  const { datasetId, version, fork } = record;
  const isNewest = selector.kind === 'head' && listed !== undefined;
  // A key that may only put can add a version with any number, and cannot take one away.
  for (const text of isNewest ? jumpOf(listed) : [])
    context.warn(`${versionName(record)}, the newest of ${printable(datasetId)}, may be forged: ${text}`);
  const found = { baseUrl, uploadId: record.uploadId, version: { datasetId, version, fork }, isNewest };
  return { ...found, manifestSha256: digestsOf(record) };
}

/** The newest version of a commit, which is told. None: files of the newest version may be of it nevertheless. */
async function recordAtCommit(
  reader: ObjectReader,
  dataset: string | undefined,
  commits: readonly string[],
  { note, warn, signal }: StoreContext,
): Promise<VersionRecord | undefined> {
  const { versionAtCommit } = await import('../../core/dataset/records/version-commits.js');
  const found = await versionAtCommit(reader, dataset, commits, { warn, signal });
  if (found === undefined) return undefined;
  const { datasetId } = found.record;
  note(`${versionName(found.record)} of ${printable(datasetId)} is the newest version made at commit ${found.commit}`);
  return found.record;
}

/** The upload that a call means. The store is opened only where it has to be asked. @throws what both steps throw */
export async function findUpload(
  url: string,
  values: TargetValues & StoreValues & { readonly workers?: number },
  context: StoreContext,
): Promise<FoundUpload> {
  const target = await targetOf(url, values, context);
  const { baseUrl, uploadId } = target;
  if (uploadId !== undefined) return { baseUrl, uploadId, version: undefined, manifestSha256: undefined };
  const session = await openForSession(baseUrl, values, context, values.workers);
  const { opened, during } = session;
  try {
    return { ...(await during(retryNotes(context), () => findTarget(opened.store, target, context))), session };
  } catch (error) {
    opened.close();
    throw error;
  }
}

function checkId(uploadId: string, baseUrl: string): UploadId {
  if (mayBeUploadId(uploadId)) return uploadId;
  throw usageError(
    `'${printable(uploadId)}' is not an upload id`,
    `it looks like 20251114-093012-1a2b3c4d; archiver list ${printable(baseUrl)} shows those that there are`,
  );
}

/** The URL of the upload itself. */
export const uploadUrl = ({ baseUrl, uploadId }: UploadLocation): string => uploadUrlOf(baseUrl, uploadId);
