// The version record as a schema; docs/format.md is the specification. `datasets/<dataset id>/v00000012.json`, or
// `v00000012.<upload id>.json`: makes an upload a version.
import * as s from '../../platform/documents/schema.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';
import { INDEX_PLACE, listing, TOTALS } from './head-schema.js';
import { OBJECT_LOCK } from './object-lock.js';
import { commit } from './provenance-schema.js';
import { requires } from './requirements.js';

/** The KMS key of the chunks, and whether the manifest is encrypted with it too. */
export const ENCRYPTION = s.schema(() => s.object({ kmsKeyId: s.text, manifest: s.flag }));

const SOURCE = s.schema(() =>
  s.object({ path: s.exactOptional(s.text), pathBase64: s.orMissing(s.text), host: s.exactOptional(s.text) }),
);

export const RECORD = s.schema(() =>
  s.fitting(
    s.object({
      format: s.count,
      type: s.literal('archiver-version'),
      requires: s.exactOptional(requires()),
      datasetId: s.text,
      version: s.count,
      uploadId,
      /** Key relative to the base. */
      manifestKey: s.text,
      manifestSha256: s.sha256,
      /** Of a manifest that has an index and is not encrypted. */
      manifestIndex: s.exactOptional(INDEX_PLACE()),
      createdAt: s.moment,
      listing: listing(),
      previous: s.nullable(s.count),
      /** Empty when the manifest is encrypted. */
      source: SOURCE(),
      /** Totals of the effective view. */
      totals: TOTALS(),
      writerId: s.orMissing(s.text),
      /** Account that made the upload; absent when the manifest is encrypted. */
      uploader: s.orMissing(s.text),
      encryption: s.exactOptional(ENCRYPTION()),
      /** The git commit in its manifest; null for none. Absent when only the manifest has it. */
      commit: s.exactOptional(s.nullable(commit())),
      /** Same as in its manifest. */
      objectLock: s.exactOptional(OBJECT_LOCK()),
      /** While the manifest is being rewritten: the digest of the one that will replace it. */
      replacementSha256: s.exactOptional(s.sha256),
      /** Of a version that was brought back: when it had been retired. No two records of a version with different ones have the same bytes. */
      wasRetiredAt: s.exactOptional(s.moment),
      /** SHA-256 of the record without this key. */
      digest: s.sha256,
    }),
    ({ uploadId: id, manifestKey, encryption, source: { host, path, pathBase64 } }) => {
      if (manifestKey !== manifestKeyOf(id)) return ['manifestKey', 'that of its upload'];
      const isNamed = host !== undefined && (path ?? pathBase64) !== undefined;
      return isNamed || encryption?.manifest === true ? undefined : ['source', 'a folder of a host'];
    },
  ),
);

export interface VersionRecord extends s.Read<typeof RECORD> {
  /** Not stored: the letters that a listing gives to versions that share an ordinal (core/dataset/records/version-name.ts). */
  readonly fork?: string | undefined;
}
