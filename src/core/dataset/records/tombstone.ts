// A tombstone replaces the record of a retired version (rules.md#tombstones): it keeps the ordinal taken for ever, so that no writer,
// however old its cache, can put another version under the same number, and names the upload of the version. Every tombstone has exactly
// `TOMBSTONE_BYTES`, which no version record has, so that a listing is enough to tell the two apart; code that decides about deletions
// reads it nevertheless.
import { TOMBSTONE_BYTES } from './tombstone-bytes.js';
import { defined } from '../../platform/defined.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { digestedText } from '../../platform/json/digested-json.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';
import { FORMAT_VERSION } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';
import { DEFAULT_GRACE_MS, lastUndelete, undeleteCommand } from './undelete-hint.js';
import { versionNumber } from './version-name.js';

export const TOMBSTONE = s.schema(() =>
  s.object({
    datasetId: s.text,
    version: s.count,
    uploadId,
    /** ISO 8601, by the store's clock. */
    retiredAt: s.moment,
    /** Of the manifest that the record named; absent where the id of the dataset leaves no room, and in older tombstones. */
    manifestSha256: s.exactOptional(s.sha256),
  }),
);
export type Tombstone = s.Read<typeof TOMBSTONE>;

export const TOMBSTONE_TYPE = 'archiver-tombstone';

/** The tombstone as it is stored; the digest of the manifest is left out where it does not fit. */
export function encodeTombstone({ datasetId, version, uploadId: id, retiredAt, manifestSha256 }: Tombstone): Buffer {
  const document = { format: FORMAT_VERSION, type: TOMBSTONE_TYPE, datasetId, version, uploadId: id, retiredAt };
  const all = digestedText({ ...document, ...defined({ manifestSha256 }) });
  const text = all.length < TOMBSTONE_BYTES ? all : digestedText(document);
  return Buffer.from(`${text.padEnd(TOMBSTONE_BYTES - 1)}\n`, 'utf8');
}

const minuteOf = (moment: Date): string => `${moment.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;

/** The error for a version that was retired. */
export class RetiredVersion extends ArchiverError {
  constructor(
    readonly tombstone: Tombstone,
    baseUrl: string,
    fork?: string,
  ) {
    const { datasetId, version, retiredAt } = tombstone;
    const dataset = printable(datasetId);
    const name = { version, fork };
    const until = lastUndelete(new Date(retiredAt), DEFAULT_GRACE_MS);
    const there = `archiver dataset versions ${baseUrl} --dataset-id ${dataset}`;
    const back = `${undeleteCommand(baseUrl, datasetId, name)} may bring it back until ${minuteOf(until)}`;
    super('not-found', `version ${versionNumber(name)} of dataset ${dataset} was pruned on ${retiredAt.slice(0, 10)}`, {
      hint: until.getTime() > Date.now() ? `${back}; ${there} shows what is there` : there,
    });
  }
}
