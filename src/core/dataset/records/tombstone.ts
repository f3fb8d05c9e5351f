// A tombstone replaces the record of a retired version (rules.md#tombstones): it keeps the ordinal taken for ever, so that no writer,
// however old its cache, can put another version under the same number, and names the upload of the version. Every tombstone has exactly
// `TOMBSTONE_BYTES`, which no version record has, so that a listing is enough to tell the two apart; code that decides about deletions
// reads it nevertheless.
import { TOMBSTONE_BYTES } from './tombstone-bytes.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { digestedText } from '../../platform/json/digested-json.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';
import { FORMAT_VERSION } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';

export const TOMBSTONE = s.schema(() =>
  s.object({
    datasetId: s.text,
    version: s.count,
    uploadId,
    /** ISO 8601, by the store's clock. */
    retiredAt: s.moment,
  }),
);
export type Tombstone = s.Read<typeof TOMBSTONE>;

export const TOMBSTONE_TYPE = 'archiver-tombstone';

/** The tombstone as it is stored. */
export function encodeTombstone({ datasetId, version, uploadId: id, retiredAt }: Tombstone): Buffer {
  const document = { format: FORMAT_VERSION, type: TOMBSTONE_TYPE, datasetId, version, uploadId: id, retiredAt };
  return Buffer.from(`${digestedText(document).padEnd(TOMBSTONE_BYTES - 1)}\n`, 'utf8');
}

/** The error for a version that was retired. */
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
