// Names the files in which this computer remembers things about a dataset in a store.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface DatasetPlace {
  /** The S3-compatible server that the store is on: two servers may have buckets of the same name. */
  readonly server?: string | undefined;
  readonly baseUrl: string;
  readonly datasetId: string;
}

/** Path of the file in `folder` that holds what is remembered of one kind. */
export function datasetFile(folder: string, { server, baseUrl, datasetId }: DatasetPlace, kind: string): string {
  const place = [...(server === undefined ? [] : [server]), baseUrl, datasetId].join('\n');
  return join(folder, `${createHash('sha256').update(place).digest('hex').slice(0, 32)}.${kind}.json`);
}
