// The history of uploads, for whoever wants to compare settings: the shape of what was uploaded, how, and what came of it.
// Only where somebody asked for it. No content, names, paths or ids are in it, and nothing of it is sent anywhere.
import { join, resolve } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { appendDocuments, readDocuments, type FoundLines } from '../../platform/state/document-lines.js';

const RECORD = s.schema(() =>
  s.object({
    /** When it ended, ISO 8601. */
    time: s.text,
    operation: s.text,
    files: s.count,
    /** Of the files. */
    bytes: s.count,
    /** In the store. */
    storedBytes: s.count,
    chunks: s.count,
    durationMs: s.count,
    /** Requests of all kinds. */
    requests: s.count,
    /** How it was uploaded: what was said, or the program chose. */
    parameters: s.object({
      storageClass: s.optional(s.text),
      /** By content where this is missing. */
      compressionLevel: s.optional(s.count),
      frameBytes: s.optional(s.count),
      shards: s.optional(s.count),
      dedup: s.optional(s.flag),
      direct: s.optional(s.flag),
      changesOnly: s.optional(s.flag),
    }),
    /** Once; null where it is not known. */
    costMicros: s.nullable(s.count),
    /** Of storage. */
    monthlyMicros: s.nullable(s.count),
  }),
);
const KIND = { type: 'upload-history', format: 1, noun: 'upload history', body: RECORD } as const;

export type UploadHistoryRecord = s.Read<typeof RECORD>;
export type UploadParameters = UploadHistoryRecord['parameters'];

/** The file that a setting names: a path, or `1` and the like for the one below `<home>`; undefined for none. */
export function historyFile(setting: string | undefined, home: string, cwd: string): string | undefined {
  if (setting === undefined || setting === '' || /^(?:0|false|no|off)$/i.test(setting)) return undefined;
  return /^(?:1|true|yes|on)$/i.test(setting) ? join(home, 'upload-history.jsonl') : resolve(cwd, setting);
}

/** Appends a record. `host`: this computer. @throws conflict, access-denied, no-space, io */
export async function appendHistory(
  path: string,
  record: UploadHistoryRecord,
  { host }: { readonly host: string },
): Promise<void> {
  await appendDocuments({ path, lockPath: `${path}.lock`, what: 'the upload history', host }, KIND, [record]);
}

/** All of them, the newest last; none where there is no file. @throws access-denied, io */
export const readHistory = (path: string): Promise<FoundLines<UploadHistoryRecord>> => readDocuments(path, KIND);
