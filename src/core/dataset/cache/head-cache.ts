// Remembers which version of a dataset this computer wrote or saw last, for writers that may not list or read. A hint: a
// writer that trusts a stale one learns of the rival by 412. One small file a dataset beside the cached manifests.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeStateDocument, parseStateDocument } from '../../state/document.js';
import { replaceFile } from '../../state/replace-file.js';
import { isArchiverError, systemCode } from '../../failures/errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import { readEncryption } from '../records/version-record-parse.js';

export interface CachedHead {
  readonly version: number;
  readonly uploadId: string;
  readonly manifestSha256: string;
  /** Of the version's record, where the store could be asked: as long as it is the same, so is the record. */
  readonly recordEtag?: string | undefined;
  /** As the record says it. */
  readonly encryption?: VersionRecord['encryption'];
}

export interface HeadCache {
  get(baseUrl: string, datasetId: string): Promise<CachedHead | undefined>;
  put(baseUrl: string, datasetId: string, head: CachedHead): Promise<void>;
}

const KIND = { type: 'archiver-remembered-version', format: 1, noun: 'remembered version' };

/**
 * Keeps heads in `folder`. What cannot be written is told to `onTrouble`, and forgotten. `server`: the S3-compatible server
 * that the stores are on, because buckets of two servers may have one name.
 */
export function openHeadCache(folder: string, onTrouble: (text: string) => void, server?: string): HeadCache {
  const pathOf = (baseUrl: string, datasetId: string): string => {
    const place = [...(server === undefined ? [] : [server]), baseUrl, datasetId].join('\n');
    return join(folder, `${createHash('sha256').update(place).digest('hex').slice(0, 32)}.head.json`);
  };
  return {
    async get(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      try {
        return parseHead(await readFile(path, 'utf8'), path);
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') onTrouble(`the manifest cache in ${folder} cannot be read`);
        return undefined;
      }
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

function bodyOf({ version, uploadId, manifestSha256, recordEtag, encryption }: CachedHead): Record<string, unknown> {
  const record = recordEtag === undefined ? {} : { recordEtag, ...(encryption === undefined ? {} : { encryption }) };
  return { version, uploadId, manifestSha256, ...record };
}

/** Undefined for anything but what this version wrote: it is only a hint. */
function parseHead(text: string, path: string): CachedHead | undefined {
  try {
    const { fields } = parseStateDocument(text, KIND, { path, hint: '' });
    const head = {
      version: fields.count('version'),
      uploadId: fields.text('uploadId'),
      manifestSha256: fields.sha256('manifestSha256'),
    };
    const recordEtag = fields.optionalText('recordEtag');
    if (recordEtag === undefined) return head;
    const encryption = readEncryption(fields);
    return { ...head, recordEtag, ...(encryption === undefined ? {} : { encryption }) };
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    return undefined;
  }
}
