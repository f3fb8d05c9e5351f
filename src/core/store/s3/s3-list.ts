// Listing with ListObjectsV2, and with version 1 on servers that lack it. Keys are sent URL-encoded, because
// XML cannot carry control characters.
import {
  ListObjectsCommand,
  ListObjectsV2Command,
  type CommonPrefix,
  type ListObjectsV2CommandOutput,
  type _Object,
} from '@aws-sdk/client-s3';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ListOptions, ListPage, ObjectInfo } from '../object-store.js';
import { ListGuard } from '../list-guard.js';
import { plainEtag } from './s3-etag.js';
import type { Asked, S3Sender } from './s3-sender.js';

/** Undoes `encoding-type=url`; some servers write a space as `+`, and all write a plus as `%2B`. */
export function decodeListed(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    // The server says that it encodes, and does not (s3s-fs).
    return text;
  }
}

interface Answer {
  readonly Contents?: readonly _Object[] | undefined;
  readonly CommonPrefixes?: readonly CommonPrefix[] | undefined;
  readonly EncodingType?: string | undefined;
}

function infoOf(sender: S3Sender, entry: _Object, decode: (text: string) => string): ObjectInfo {
  const { RestoreStatus: restore } = entry;
  return {
    key: sender.relativeKey(decode(entry.Key ?? '')),
    sizeBytes: entry.Size ?? 0,
    etag: plainEtag(entry.ETag),
    lastModified: entry.LastModified ?? new Date(0),
    storageClass: entry.StorageClass ?? 'STANDARD',
    ...(restore
      ? {
          restore: {
            inProgress: restore.IsRestoreInProgress ?? false,
            ...(restore.RestoreExpiryDate ? { expiry: restore.RestoreExpiryDate } : {}),
          },
        }
      : {}),
  };
}

function pageOf(sender: S3Sender, answer: Answer): ListPage {
  const decode = answer.EncodingType === 'url' ? decodeListed : (text: string): string => text;
  const base = sender.prefix === '' ? '' : `${sender.prefix}/`;
  return {
    // A folder marker of the base itself is not a key below it.
    objects: (answer.Contents ?? []).map((entry) => infoOf(sender, entry, decode)).filter(({ key }) => key !== ''),
    prefixes: (answer.CommonPrefixes ?? []).map(({ Prefix = '' }) => decode(Prefix).slice(base.length)),
  };
}

const query = (sender: S3Sender, options: ListOptions) => {
  const base = sender.prefix === '' ? '' : `${sender.prefix}/`;
  const prefix = base + (options.prefix ?? '');
  return {
    Bucket: sender.bucket,
    EncodingType: 'url' as const,
    ...(prefix === '' ? {} : { Prefix: prefix }),
    ...(options.delimiter === undefined ? {} : { Delimiter: options.delimiter }),
    ...(options.withRestoreStatus === true ? { OptionalObjectAttributes: ['RestoreStatus' as const] } : {}),
  };
};

const askedOf = (options: ListOptions): Asked => ({
  operation: 'ListObjects',
  action: 's3:ListBucket',
  signal: options.signal,
});

const guardOf = (sender: S3Sender, { prefix = '', startAfter }: ListOptions): ListGuard =>
  new ListGuard({ name: `ListObjects ${sender.nameOf(prefix)}`, after: startAfter });

function watched(guard: ListGuard, page: ListPage): ListPage {
  guard.page(
    page.objects.map(({ key }) => key),
    page.prefixes,
  );
  return page;
}

async function* listV1(sender: S3Sender, options: ListOptions): AsyncGenerator<ListPage> {
  const guard = guardOf(sender, options);
  let marker = options.startAfter === undefined ? undefined : sender.fullKey(options.startAfter);
  for (;;) {
    const command = new ListObjectsCommand({
      ...query(sender, options),
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    const answer = await sender.send(askedOf(options), (client, send) => client.send(command, send));
    yield watched(guard, pageOf(sender, answer));
    // NextMarker comes only with a delimiter; otherwise the last key is the marker.
    const last = answer.NextMarker ?? answer.Contents?.at(-1)?.Key;
    const next = last === undefined ? undefined : answer.EncodingType === 'url' ? decodeListed(last) : last;
    if (answer.IsTruncated !== true) return;
    if (next === undefined)
      throw sender.complaint(askedOf(options), 'the listing is truncated but does not say where it continues');
    guard.mark(next);
    marker = next;
  }
}

async function* listV2(
  sender: S3Sender,
  options: ListOptions,
  first: ListObjectsV2CommandOutput,
): AsyncGenerator<ListPage> {
  const guard = guardOf(sender, options);
  let answer = first;
  for (;;) {
    yield watched(guard, pageOf(sender, answer));
    if (answer.IsTruncated !== true) return;
    const token = answer.NextContinuationToken;
    if (token === undefined)
      throw sender.complaint(askedOf(options), 'the listing is truncated but does not say where it continues');
    guard.mark(token);
    answer = await requestV2(sender, options, { ContinuationToken: token });
  }
}

function requestV2(
  sender: S3Sender,
  options: ListOptions,
  from: { ContinuationToken?: string; StartAfter?: string },
): Promise<ListObjectsV2CommandOutput> {
  const command = new ListObjectsV2Command({ ...query(sender, options), ...from });
  return sender.send(askedOf(options), (client, send) => client.send(command, send));
}

/** Lists below the base, page by page, in the server's (byte) order. */
export async function* s3List(sender: S3Sender, options: ListOptions): AsyncGenerator<ListPage> {
  const { startAfter } = options;
  let first: ListObjectsV2CommandOutput;
  try {
    first = await requestV2(
      sender,
      options,
      startAfter === undefined ? {} : { StartAfter: sender.fullKey(startAfter) },
    );
  } catch (error) {
    if (!isArchiverError(error, 'unsupported')) throw error;
    yield* listV1(sender, options);
    return;
  }
  yield* listV2(sender, options, first);
}
