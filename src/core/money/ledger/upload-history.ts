// The history of uploads, for comparing settings: the shape of what was uploaded, how, and the result. Kept only on request. It contains no
// content, names, paths or ids, and is never sent anywhere.
import { join, resolve } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { appendDocuments, readDocuments, type FoundLines } from '../../platform/state/document-lines.js';

const RECORD = s.schema(() =>
  s.object({
    /** When the upload ended, ISO 8601. */
    time: s.text,
    operation: s.text,
    files: s.count,
    /** Total size of the files. */
    bytes: s.count,
    /** Bytes in the store. */
    storedBytes: s.count,
    chunks: s.count,
    durationMs: s.count,
    /** Requests of all kinds. */
    requests: s.count,
    /** Upload settings, as given or as the program chose them. */
    parameters: s.object({
      storageClass: s.optional(s.text),
      /** Missing when it was chosen by content. */
      compressionLevel: s.optional(s.count),
      frameBytes: s.optional(s.count),
      shards: s.optional(s.count),
      dedup: s.optional(s.flag),
      direct: s.optional(s.flag),
      changesOnly: s.optional(s.flag),
    }),
    /** One-time cost; null when not known. */
    costMicros: s.nullable(s.count),
    /** Monthly cost of storage; null when not known. */
    monthlyMicros: s.nullable(s.count),
  }),
);
const KIND = { type: 'upload-history', format: 1, noun: 'upload history', body: RECORD } as const;

export type UploadHistoryRecord = s.Read<typeof RECORD>;
export type UploadParameters = UploadHistoryRecord['parameters'];

/** Returns the file that a setting names: a path, or `1` and the like for the one below `<home>`; undefined for none. */
export function historyFile(setting: string | undefined, home: string, cwd: string): string | undefined {
  if (setting === undefined || setting === '' || /^(?:0|false|no|off)$/i.test(setting)) return undefined;
  return /^(?:1|true|yes|on)$/i.test(setting) ? join(home, 'upload-history.jsonl') : resolve(cwd, setting);
}

/** Appends a record. `host` is this computer. @throws conflict, access-denied, no-space, io */
export async function appendHistory(
  path: string,
  record: UploadHistoryRecord,
  { host }: { readonly host: string },
): Promise<void> {
  await appendDocuments({ path, lockPath: `${path}.lock`, what: 'the upload history', host }, KIND, [record]);
}

/** Reads all records, the newest last; none when there is no file. @throws access-denied, io */
export const readHistory = (path: string): Promise<FoundLines<UploadHistoryRecord>> => readDocuments(path, KIND);
