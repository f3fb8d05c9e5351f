// Deleting objects, and versions of objects, from S3.
import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { DeleteFailure, ObjectDeleter, ObjectVersionId } from '../object-store.js';
import type { Asked, S3Sender } from './s3-sender.js';
import { StoreError } from '../store-error.js';

const DELETE_BATCH = 1000;
const RETRIABLE_DELETES = new Set(['InternalError', 'SlowDown', 'ServiceUnavailable', 'OperationAborted']);

/** MinIO's message for a locked object (InvalidRequest). */
const LOCKED = /\bWORM protected\b/;

// XML 1.0 cannot represent these characters, so DeleteObjects cannot name such a key.
// eslint-disable-next-line no-control-regex
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** A key, or one version of it. */
type Doomed = Pick<ObjectVersionId, 'key'> & Partial<ObjectVersionId>;

const actionFor = (doomed: Doomed | undefined): string =>
  doomed?.versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion';

async function deleteOne(
  sender: S3Sender,
  doomed: Doomed,
  signal: AbortSignal | undefined,
): Promise<readonly DeleteFailure[]> {
  const { key, versionId } = doomed;
  const asked: Asked = { operation: 'DeleteObject', action: actionFor(doomed), key, signal };
  const command = new DeleteObjectCommand({
    Bucket: sender.bucket,
    Key: sender.fullKey(key),
    ...(versionId === undefined ? {} : { VersionId: versionId }),
  });
  try {
    await sender.send(asked, (client, send) => client.send(command, send));
    return [];
  } catch (error) {
    if (isArchiverError(error, 'not-found') && !(error instanceof StoreError && error.reason === 'NoSuchBucket'))
      return [];
    throw error;
  }
}

async function deleteBatch(
  sender: S3Sender,
  batch: readonly Doomed[],
  signal: AbortSignal | undefined,
): Promise<readonly DeleteFailure[]> {
  if (batch.length === 0) return [];
  const action = actionFor(batch[0]);
  const asked: Asked = { operation: 'DeleteObjects', action, signal };
  const command = new DeleteObjectsCommand({
    Bucket: sender.bucket,
    Delete: {
      Quiet: true,
      Objects: batch.map(({ key, versionId }) => ({
        Key: sender.fullKey(key),
        ...(versionId === undefined ? {} : { VersionId: versionId }),
      })),
    },
  });
  const answer = await sender.send(asked, (client, send) => client.send(command, send));
  const isOfVersions = batch[0]?.versionId !== undefined;
  return (answer.Errors ?? [])
    .filter(({ Code }) => Code !== 'NoSuchKey' && Code !== 'NoSuchVersion')
    .map(({ Key = '', VersionId, Code = '', Message = '' }) => ({
      key: sender.relativeKey(Key),
      ...(isOfVersions ? { versionId: VersionId ?? 'null' } : {}),
      // A lock also answers AccessDenied, and says so in the message.
      reason:
        Code === 'AccessDenied'
          ? `access denied (needs ${action}${isOfVersions ? ', and no object lock' : ''})`
          : printable(`${Code} ${Message}`.trim()),
      isRefused: Code === 'AccessDenied' || LOCKED.test(Message),
      retriable: RETRIABLE_DELETES.has(Code),
    }));
}

async function deleteAll(
  sender: S3Sender,
  doomed: readonly Doomed[],
  signal: AbortSignal | undefined,
): Promise<readonly DeleteFailure[]> {
  const failures: DeleteFailure[] = [];
  const plain = doomed.filter(({ key }) => !NOT_XML.test(key));
  for (let start = 0; start < plain.length; start += DELETE_BATCH) {
    failures.push(...(await deleteBatch(sender, plain.slice(start, start + DELETE_BATCH), signal)));
  }
  const odd = doomed.filter(({ key }) => NOT_XML.test(key));
  for (const one of odd) failures.push(...(await deleteOne(sender, one, signal)));
  return failures;
}

/** Returns the deleting calls of an S3 store. */
export function s3Deleter(sender: S3Sender): Pick<ObjectDeleter, 'delete' | 'deleteVersions'> {
  return {
    delete: (keys, signal) =>
      deleteAll(
        sender,
        keys.map((key) => ({ key })),
        signal,
      ),
    deleteVersions: (versions, signal) => deleteAll(sender, versions, signal),
  };
}
