// The two stores of a copy, each with its own access.
import { realpathSync } from 'node:fs';
import type { Context } from '../../cli/context.js';
import type { Values } from '../../cli/flag.js';
import type { EventSink } from '../../core/events/events.js';
import { undefinedOn, usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl, storeUrlOf } from '../../core/store/store-url.js';
import { mayBeUploadId, type UploadId } from '../../core/store/ids/upload-id.js';
import type { flags } from './flags.js';
import { accessAt } from '../kit/access-at.js';
import { openForReading, openForWriting, refuseMissingFolder } from '../kit/store.js';

export type CopyValues = Values<typeof flags>;

export interface CopyPlaces {
  readonly from: string;
  readonly uploadId: UploadId | undefined;
  readonly to: string;
}

/** Reads the two URLs. @throws usage */
export function placesOf(from: string, to: string | undefined, values: CopyValues, cwd: string): CopyPlaces {
  const url = storeUrlOf(from, cwd);
  if (url === undefined)
    throw usageError(
      `FROM wants a store URL (s3://bucket/prefix, file:///absolute/folder), or a path that begins with / or ./, got "${printable(from)}"`,
    );
  if (to === undefined) throw usageError('TO is missing: archiver copy FROM TO');
  if (splitUploadUrl(to) !== undefined)
    throw usageError(`${printable(to)} is an upload; name the place above uploads/ to copy to`);
  const upload = splitUploadUrl(url);
  if (upload === undefined) return { from: joinStoreUrl(url), uploadId: undefined, to: joinStoreUrl(to) };
  const { baseUrl, uploadId } = upload;
  if (values.datasetId !== undefined || values.version.length > 0)
    throw usageError(
      `${printable(url)} is an upload, and datasets lie above uploads/`,
      'leave out /uploads/… at the end, or what names a dataset and version',
    );
  if (!mayBeUploadId(uploadId)) throw usageError(`'${printable(uploadId)}' is not an upload id`);
  return { from: baseUrl, uploadId, to: joinStoreUrl(to) };
}

/** Opens the store that is read. @throws not-found for a folder that is not there */
export async function openFrom(
  url: string,
  values: CopyValues,
  context: Context,
  onEvent: EventSink,
): Promise<OpenedStore> {
  await refuseMissingFolder(url);
  // The values are those of TO, of which the config file may say something.
  const access = accessAt({ text: url, url, isTyped: true }, { ...values }, context);
  const own = { ...values, ...access.values, storeMode: undefined, limitUpload: undefined, createOnce: undefined };
  return await openForReading(url, own, access.context, { requestsAtOnce: values.workers, onEvent });
}

/** Opens the store that is copied to. */
export async function openTo(
  url: string,
  values: CopyValues,
  context: Context,
  onEvent: EventSink,
): Promise<OpenedStore> {
  const { toRegion, toProfile, toEndpointUrl, toCaBundle } = values;
  const isGiven = toRegion !== undefined;
  const own = {
    ...values,
    region: toRegion ?? values.region,
    profile: toProfile ?? values.profile,
    endpointUrl: toEndpointUrl === 'aws' ? null : (toEndpointUrl ?? values.endpointUrl),
    caBundle: toCaBundle ?? values.caBundle,
  };
  const origins = { ...context.origins, region: isGiven ? ('flag' as const) : ('default' as const) };
  return await openForWriting(url, own, { ...context, origins })(onEvent);
}

/** Refuses to copy a store to itself. @throws usage */
export function refuseSame(from: OpenedStore, to: OpenedStore): void {
  const isSameServer = (from.servers?.store ?? null) === (to.servers?.store ?? null);
  if (!isSameServer || realUrl(from.store.url) !== realUrl(to.store.url)) return;
  throw usageError(
    `${printable(from.store.url)} and ${printable(to.store.url)} are one store`,
    'copy to another place',
  );
}

/** The URL of a store, of a folder without symbolic links. */
export function realUrl(url: string): string {
  const place = parseStoreUrl(url);
  if (place.kind !== 'file') return url;
  try {
    return `file://${realpathSync(place.folder)}`;
  } catch (error) {
    undefinedOn('ENOENT', 'ENOTDIR')(error);
    return url;
  }
}
