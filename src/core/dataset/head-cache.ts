// Remembers which version of a dataset this computer wrote or saw last, for writers that may not list or read. A hint: a
// writer that trusts a stale one learns of the rival by 412. One small file a dataset beside the cached manifests.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../state/replace-file.js';
import { systemCode } from '../failures/errors.js';
import { Fields } from '../json/json-fields.js';
import type { VersionRecord } from '../manifest/manifest-types.js';
import { readEncryption } from './version-record-parse.js';

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

const FORMAT = 1;
const SHA256 = /^[0-9a-f]{64}$/;

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
      try {
        return parseHead(await readFile(pathOf(baseUrl, datasetId), 'utf8'));
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') onTrouble(`the manifest cache in ${folder} cannot be read`);
        return undefined;
      }
    },
    async put(baseUrl, datasetId, head) {
      try {
        await replaceFile(pathOf(baseUrl, datasetId), `${JSON.stringify(encode(head))}\n`);
      } catch (error) {
        onTrouble(`the manifest cache in ${folder} cannot be written (${systemCode(error) ?? 'unknown reason'})`);
      }
    },
  };
}

function encode({ version, uploadId, manifestSha256, recordEtag, encryption }: CachedHead): Record<string, unknown> {
  const record = recordEtag === undefined ? {} : { recordEtag, ...(encryption === undefined ? {} : { encryption }) };
  const body = { format: FORMAT, version, uploadId, manifestSha256, ...record };
  return { ...body, digest: digestOf(body) };
}

const digestOf = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

/** Undefined for anything but what `encode` wrote: it is only a hint. */
function parseHead(text: string): CachedHead | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { digest, ...body } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
  const { format, version, uploadId, manifestSha256, recordEtag } = body;
  if (format !== FORMAT || digest !== digestOf(body)) return undefined;
  if (typeof version !== 'number' || typeof uploadId !== 'string' || typeof manifestSha256 !== 'string')
    return undefined;
  if (!SHA256.test(manifestSha256)) return undefined;
  if (typeof recordEtag !== 'string') return { version, uploadId, manifestSha256 };
  // Its digest says that this program wrote it.
  const encryption = readEncryption(new Fields(body, 'a remembered version'));
  return { version, uploadId, manifestSha256, recordEtag, ...(encryption === undefined ? {} : { encryption }) };
}
