// An ObjectStore on S3 and its look-alikes. One method, one request; retries, watchdogs and counting are decorators.
// Guarantees: every failure is an ArchiverError that names the operation and `s3://bucket/key`; an answer that does not
// fit the question (a wrong range, a "success" that carries an error) is a failure; unread bodies are destroyed.
import type { WholeStore } from '../object-store.js';
import type { S3Connection } from './s3-client.js';
import { s3Deleter } from './s3-delete.js';
import { s3Reader } from './s3-read.js';
import { S3Sender } from './s3-sender.js';
import { s3Multipart } from './s3-multipart.js';
import { s3Time } from './s3-time.js';
import { s3Versions } from './s3-versions.js';
import { s3Writer } from './s3-write.js';
import { formatStoreUrl } from '../store-url.js';

/** Binds a connection to a bucket, and a prefix without a slash at either end. */
export function s3Store(connection: S3Connection, { bucket, prefix }: Pick<S3Sender, 'bucket' | 'prefix'>): WholeStore {
  const sender = new S3Sender(connection, bucket, prefix);
  const url = formatStoreUrl({ kind: 's3', bucket, prefix });
  return {
    url,
    ...s3Reader(sender),
    ...s3Writer(sender),
    ...s3Deleter(sender),
    ...s3Multipart(sender),
    time: (signal) => s3Time(sender, signal),
    listVersions: (options) => s3Versions(sender, options),
  };
}
