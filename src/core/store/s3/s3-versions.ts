// Listing versions and delete markers with ListObjectVersions.
import {
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion as S3Version,
} from '@aws-sdk/client-s3';
import { defined } from '../../platform/defined.js';
import { compareBytes } from '../file/file-list.js';
import type { ListVersionsOptions, ObjectVersion, ObjectVersionId, VersionPage } from '../object-store.js';
import { ListGuard } from '../list-guard.js';
import { decodeListed } from './s3-list.js';
import type { Asked, S3Sender } from './s3-sender.js';

type Decode = (text: string) => string;

function versionsOf(sender: S3Sender, answer: ListObjectVersionsCommandOutput, decode: Decode): ObjectVersion[] {
  const of = (
    line: Pick<S3Version, 'Key' | 'VersionId' | 'IsLatest' | 'LastModified'> & { StorageClass?: string | undefined },
    sizeBytes: number,
    isDeleteMarker: boolean,
  ): ObjectVersion => ({
    key: sender.relativeKey(decode(line.Key ?? '')),
    versionId: line.VersionId ?? 'null',
    sizeBytes,
    isCurrent: line.IsLatest ?? true,
    isDeleteMarker,
    ...defined({ storageClass: line.StorageClass, lastModified: line.LastModified }),
  });
  const objects = (answer.Versions ?? []).map((line) => of(line, line.Size ?? 0, false));
  const markers = (answer.DeleteMarkers ?? []).map((line) => of(line, 0, true));
  // A folder marker of the base itself is no key below it. The answer lists versions and markers apart from each other.
  return [...objects, ...markers]
    .filter(({ key }) => key !== '')
    .sort((a, b) => compareBytes(a.key, b.key) || Number(b.isCurrent) - Number(a.isCurrent));
}

function nextOf(
  sender: S3Sender,
  answer: ListObjectVersionsCommandOutput,
  asked: Asked,
  decode: Decode,
): ObjectVersionId | undefined {
  if (answer.IsTruncated !== true) return undefined;
  const { NextKeyMarker, NextVersionIdMarker } = answer;
  if (NextKeyMarker === undefined)
    throw sender.complaint(asked, 'the listing is truncated but does not say where it continues');
  return { key: sender.relativeKey(decode(NextKeyMarker)), versionId: NextVersionIdMarker ?? '' };
}

const markOf = ({ key, versionId }: ObjectVersionId): string => `${key}\0${versionId}`;

/** Lists every version below the base, page by page. */
export async function* s3Versions(sender: S3Sender, options: ListVersionsOptions = {}): AsyncGenerator<VersionPage> {
  const asked: Asked = {
    operation: 'ListObjectVersions',
    action: 's3:ListBucketVersions',
    signal: options.signal,
  };
  const prefix = (sender.prefix === '' ? '' : `${sender.prefix}/`) + (options.prefix ?? '');
  let { after } = options;
  const guard = new ListGuard({
    name: `ListObjectVersions ${sender.nameOf(options.prefix ?? '')}`,
    after: after?.key,
    isKeySplit: true,
  });
  if (after !== undefined) guard.mark(markOf(after));
  do {
    const command: ListObjectVersionsCommand = new ListObjectVersionsCommand({
      Bucket: sender.bucket,
      EncodingType: 'url',
      ...(prefix === '' ? {} : { Prefix: prefix }),
      ...(after === undefined ? {} : { KeyMarker: sender.fullKey(after.key) }),
      ...(after === undefined || after.versionId === '' ? {} : { VersionIdMarker: after.versionId }),
    });
    const answer = await sender.send(asked, (client, send) => client.send(command, send));
    const decode: Decode = answer.EncodingType === 'url' ? decodeListed : (text) => text;
    const next = nextOf(sender, answer, asked, decode);
    const versions = versionsOf(sender, answer, decode);
    guard.page(versions.map(({ key }) => key));
    if (next !== undefined) guard.mark(markOf(next));
    yield { versions, ...(next === undefined ? {} : { next }) };
    after = next;
  } while (after !== undefined);
}
