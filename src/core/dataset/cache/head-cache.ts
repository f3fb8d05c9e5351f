// Remembers which version of a dataset this computer wrote or saw last, for writers without permission to list or read. It is a hint: a
// writer that trusts a stale one learns of the newer version by a 412. One small file per dataset beside the cached manifests. For a writer
// without permission to read it is also the only source of how the dataset is encrypted: one that cannot be used is reported.
import { readFile, rm } from 'node:fs/promises';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ENCRYPTION } from '../../format/manifest/record-schema.js';
import { defined } from '../../platform/defined.js';
import * as s from '../../platform/documents/schema.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { namedUploadId } from '../../store/ids/upload-id-schema.js';
import { datasetFile } from './dataset-file.js';

export interface CachedHead {
  readonly version: number;
  readonly uploadId: UploadId;
  readonly manifestSha256: string;
  /** The ETag of the version's record, when the store could be asked: while it is the same, so is the record. */
  readonly recordEtag?: string | undefined;
  /** Encryption as the record states it. */
  readonly encryption?: VersionRecord['encryption'];
  /** Totals of its view; absent in what older versions of this program remember. */
  readonly totals?: ViewTotals | undefined;
  /** What its manifest says of the class of its chunks; absent in what older versions of this program remember, and of copies. */
  readonly storageClass?: string | undefined;
}

/** Number of files and bytes in a version. */
export type ViewTotals = Pick<VersionRecord['totals'], 'files' | 'bytes'>;

export interface HeadCache {
  get(baseUrl: string, datasetId: string): Promise<CachedHead | undefined>;
  put(baseUrl: string, datasetId: string, head: CachedHead): Promise<void>;
  /** Forgets the dataset. */
  forget?(baseUrl: string, datasetId: string): Promise<void>;
  /** True when something was remembered that `get` could not use: that is not the same as nothing being remembered. */
  isUnusable?(baseUrl: string, datasetId: string): boolean;
}

const BODY = s.schema(() =>
  s.object({
    version: s.count,
    uploadId: namedUploadId,
    manifestSha256: s.sha256,
    recordEtag: s.orMissing(s.text),
    encryption: s.exactOptional(ENCRYPTION()),
    files: s.exactOptional(s.count),
    bytes: s.exactOptional(s.count),
    storageClass: s.exactOptional(s.text),
  }),
);
const KIND = { type: 'archiver-remembered-version', format: 1, noun: 'remembered version', body: BODY };

/**
 * Keeps heads in `folder`. A head that cannot be written is reported to `onTrouble` and dropped. `server` is the server that the stores are
 * on.
 */
export function openHeadCache(folder: string, onTrouble: (text: string) => void, server?: string): HeadCache {
  const pathOf = (baseUrl: string, datasetId: string): string =>
    datasetFile(folder, { server, baseUrl, datasetId }, 'head');
  const warned = new Set<string>();
  const unusable = new Set<string>();
  const warnOnce = (text: string): void => {
    if (!warned.has(text)) onTrouble(text);
    warned.add(text);
  };
  return {
    async get(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      try {
        return parseHead(await readFile(path, 'utf8'), path);
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        unusable.add(path);
        if (isArchiverError(error)) warnOnce(`${error.message}: it counts as nothing`);
        else warnOnce(`the manifest cache in ${folder} cannot be read`);
        return undefined;
      }
    },
    isUnusable: (baseUrl, datasetId) => unusable.has(pathOf(baseUrl, datasetId)),
    async forget(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      await rm(path, { force: true }).catch((error: unknown) => {
        throw fileFailure('remove', path, error);
      });
    },
    async put(baseUrl, datasetId, head) {
      try {
        await replaceFile(pathOf(baseUrl, datasetId), encodeStateDocument(KIND, bodyOf(head)));
      } catch (error) {
        onTrouble(`the manifest cache in ${folder} cannot be written (${systemCode(error) ?? 'unknown reason'})`);
      }
    },
  };
}

function bodyOf(head: CachedHead): Record<string, unknown> {
  const { version, uploadId, manifestSha256, recordEtag, encryption, totals, storageClass } = head;
  const record = recordEtag === undefined ? {} : { recordEtag, ...(encryption === undefined ? {} : { encryption }) };
  return { version, uploadId, manifestSha256, ...record, ...totals, ...defined({ storageClass }) };
}

/** @throws integrity, unsupported for anything but what this version wrote */
function parseHead(text: string, path: string): CachedHead {
  const { recordEtag, encryption, files, bytes, ...head } = readStateDocument(text, KIND, { path, hint: '' });
  return {
    ...head,
    ...defined({ recordEtag, encryption: recordEtag === undefined ? undefined : encryption }),
    ...(files !== undefined && bytes !== undefined && { totals: { files, bytes } }),
  };
}
