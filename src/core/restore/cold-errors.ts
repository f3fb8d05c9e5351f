// Errors of cold chunks that cannot be waited for, with what to type next.
import { ArchiverError } from '../platform/failures/errors.js';
import { joinKey, parseStoreUrl } from '../store/store-url.js';
import { shellWord } from '../platform/text/shell-word.js';

/** Makes the error for a GET that was refused as cold by a store without RestoreObject. */
export function coldForGoodError(error: ArchiverError): ArchiverError {
  return new ArchiverError('cold-storage', `${error.message}; and this store does not support RestoreObject`, {
    cause: error,
    hint: 'have whoever runs the store bring it back, then run the same restore again',
  });
}

/** Makes the error for a GET that was refused as cold although nothing else shows that the object is. */
export function hiddenColdError(error: ArchiverError, storeUrl: string, key = ''): ArchiverError {
  const url = parseStoreUrl(storeUrl);
  const [bucket, fullKey] = url.kind === 's3' ? [url.bucket, joinKey(url.prefix, key)] : [url.folder, key];
  return new ArchiverError('cold-storage', `${error.message}; its storage class does not tell that it is archived`, {
    cause: error,
    hint: `request it by hand: aws s3api restore-object --bucket ${shellWord(bucket)} --key ${shellWord(fullKey)} --restore-request {}`,
  });
}

/** Makes the error for a chunk that was requested in this run and is cold again. */
export function coldAgainError(key: string, jobId: string | undefined): ArchiverError {
  const how =
    jobId === undefined ? 'run the same restore once more' : `archiver restore jobs check ${jobId} --thaw-again`;
  return new ArchiverError(
    'cold-storage',
    `${key} was requested but is not readable: its copy has expired or the store dropped the request`,
    { hint: `it was not requested again, because that costs money again; to do so: ${how}` },
  );
}
