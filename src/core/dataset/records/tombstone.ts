// What a retired version leaves under its key (commit protocol, Protocol 2, rule 5): it keeps the ordinal taken for ever, so
// that no writer, however old its cache, can put another version under the same number, and tells which upload the version
// was. Every tombstone has exactly `TOMBSTONE_BYTES`, which no version record has, so that a listing alone tells the two
// apart; whoever decides about deletions reads it all the same.
import { createHash } from 'node:crypto';
import { ArchiverError } from '../../failures/errors.js';
import { FORMAT_VERSION } from '../../manifest/manifest-types.js';
import { printable } from '../../paths/raw-path.js';

export interface Tombstone {
  readonly datasetId: string;
  readonly version: number;
  readonly uploadId: string;
  /** ISO 8601, by the store's clock. */
  readonly retiredAt: string;
}

export const TOMBSTONE_TYPE = 'archiver-tombstone';
/** A record has more than 500 bytes; a tombstone with the longest id of a dataset has 360. */
export const TOMBSTONE_BYTES = 400;

/** The tombstone as it is stored. */
export function encodeTombstone({ datasetId, version, uploadId, retiredAt }: Tombstone): Buffer {
  const document = { format: FORMAT_VERSION, type: TOMBSTONE_TYPE, datasetId, version, uploadId, retiredAt };
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const text = JSON.stringify({ ...document, digest });
  return Buffer.from(`${text.padEnd(TOMBSTONE_BYTES - 1)}\n`, 'utf8');
}

/** The failure of whoever asks for a version that was retired. */
export class RetiredVersion extends ArchiverError {
  constructor(
    readonly tombstone: Tombstone,
    baseUrl: string,
  ) {
    const { datasetId, version, retiredAt } = tombstone;
    const name = printable(datasetId);
    super('not-found', `version ${version} of dataset ${name} was pruned on ${retiredAt.slice(0, 10)}`, {
      hint: `archiver dataset versions ${baseUrl} --dataset-id ${name}`,
    });
  }
}
