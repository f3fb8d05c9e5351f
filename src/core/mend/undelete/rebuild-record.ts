// Makes the record of a retired version again, from its manifest: a record says nothing beyond its number and its digest that the manifest does
// not say. What proves the manifest is the digest that the tombstone kept.
import { orderedRecord } from '../../archive/commit/commit.js';
import { encodeVersionRecord } from '../../dataset/records/version-record.js';
import type { Tombstone } from '../../dataset/records/tombstone.js';
import { indexOf, type LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { FORMAT_VERSION, type ManifestHead, type VersionRecord } from '../../format/manifest/manifest-types.js';
import { defined } from '../../platform/defined.js';
import { bytesOf, textFromRaw } from '../../platform/paths/raw-path.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';

/** The record as it is stored. That it names when it was retired keeps it from being mistaken for the one that a prune has replaced. */
export function rebuiltRecord(tombstone: Tombstone, manifest: LoadedManifest): Buffer {
  const { datasetId, version, uploadId, retiredAt } = tombstone;
  const { head, sealedBy } = manifest;
  const { createdAt, listing, view, totals, writerId, objectLock } = head;
  const input = {
    format: FORMAT_VERSION,
    type: 'archiver-version' as const,
    datasetId,
    uploadId,
    manifestKey: manifestKeyOf(uploadId),
    manifestSha256: manifest.sha256,
    createdAt,
    listing,
    totals: view ?? totals,
    ...defined({ writerId, objectLock, encryption: encryptionOf(manifest) }),
    ...(sealedBy === undefined ? clearPart(manifest) : { source: {} }),
  };
  const record = orderedRecord(input, version, version === 1 ? null : version - 1);
  return encodeVersionRecord({ ...record, wasRetiredAt: retiredAt });
}

/** What the record of an encrypted manifest does not show. */
const clearPart = (manifest: LoadedManifest): Pick<VersionRecord, 'source'> & Partial<VersionRecord> => ({
  ...defined({ manifestIndex: indexOf(manifest), uploader: manifest.head.uploader }),
  source: { ...pathOf(manifest.head), host: manifest.head.source.host },
  commit: manifest.head.git?.commit ?? null,
});

function pathOf({ source: { path } }: ManifestHead): VersionRecord['source'] {
  const text = textFromRaw(path);
  return text === undefined ? { pathBase64: bytesOf(path).toString('base64') } : { path: text };
}

function encryptionOf({ head: { storage }, sealedBy }: LoadedManifest): VersionRecord['encryption'] {
  const kmsKeyId = sealedBy ?? ('kmsKeyId' in storage ? storage.kmsKeyId : undefined);
  return kmsKeyId === undefined ? undefined : { kmsKeyId, manifest: sealedBy !== undefined };
}
