// What time it is at the store: the `Date` of its answer to the smallest listing. Only a read is asked for, and
// permission to list is there wherever anybody can tell what is old.
import { ListObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { Asked, S3Sender } from './s3-sender.js';
import { StoreError } from '../store-error.js';

// The answer's headers are seen where the SDK takes the answer apart.
const SEEN_THERE = { step: 'deserialize', name: 'noteDate' } as const;

const dateOf = (response: unknown): string | undefined =>
  (response as { readonly headers?: Readonly<Record<string, string | undefined>> }).headers?.['date'];

/** The store's clock. @throws store when its answer tells no time */
export async function s3Time(sender: S3Sender, signal?: AbortSignal): Promise<Date> {
  const asked: Asked = { operation: 'ListObjects', action: 's3:ListBucket', signal };
  const query = {
    Bucket: sender.bucket,
    MaxKeys: 1,
    ...(sender.prefix === '' ? {} : { Prefix: `${sender.prefix}/` }),
  };
  let told: string | undefined;
  const note = <T extends { readonly response: unknown }>(result: T): T => {
    told = dateOf(result.response);
    return result;
  };
  try {
    const command = new ListObjectsV2Command(query);
    command.middlewareStack.add((next) => async (args) => note(await next(args)), SEEN_THERE);
    await sender.send(asked, (client, send) => client.send(command, send));
  } catch (error) {
    if (!isArchiverError(error, 'unsupported')) throw error;
    const command = new ListObjectsCommand(query);
    command.middlewareStack.add((next) => async (args) => note(await next(args)), SEEN_THERE);
    await sender.send(asked, (client, send) => client.send(command, send));
  }
  const time = Date.parse(told ?? '');
  if (Number.isNaN(time)) {
    // Not worth another try: a proxy that takes the header away does so each time.
    throw new StoreError(
      'store',
      `ListObjects ${sender.nameOf('')}: the answer does not say what time it is (no Date)`,
      {
        reason: 'NoDate',
        hint: 'check the server, or the proxy in front of it, named by --endpoint-url',
      },
    );
  }
  return new Date(time);
}
