// The history of uploads, for whoever wants to compare settings: the shape of what was uploaded, how, and what came of it.
// Only where somebody asked for it. No content, names, paths or ids are in it, and nothing of it is sent anywhere.
import { join, resolve } from 'node:path';
import { defined } from '../defined.js';
import type { Fields } from '../json/json-fields.js';
import { appendDocuments, readDocuments, type FoundLines } from '../state/document-lines.js';

const KIND = { type: 'upload-history', format: 1, noun: 'upload history' } as const;

/** How it was uploaded: what was said, or the program chose. */
export interface UploadParameters {
  readonly storageClass?: string | undefined;
  /** By content where this is missing. */
  readonly compressionLevel?: number | undefined;
  readonly frameBytes?: number | undefined;
  readonly shards?: number | undefined;
  readonly dedup?: boolean | undefined;
  readonly direct?: boolean | undefined;
  readonly changesOnly?: boolean | undefined;
}

export interface UploadHistoryRecord {
  /** When it ended, ISO 8601. */
  readonly time: string;
  readonly operation: string;
  readonly files: number;
  /** Of the files. */
  readonly bytes: number;
  /** In the store. */
  readonly storedBytes: number;
  readonly chunks: number;
  readonly durationMs: number;
  /** Requests of all kinds. */
  readonly requests: number;
  readonly parameters: UploadParameters;
  /** Once; null where it is not known. */
  readonly costMicros: number | null;
  /** Of storage. */
  readonly monthlyMicros: number | null;
}

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
export const readHistory = (path: string): Promise<FoundLines<UploadHistoryRecord>> =>
  readDocuments(path, KIND, historyFrom);

function historyFrom(fields: Fields): UploadHistoryRecord {
  const micros = (key: string): number | null => (fields.get(key) === null ? null : fields.count(key));
  return {
    time: fields.text('time'),
    operation: fields.text('operation'),
    files: fields.count('files'),
    bytes: fields.count('bytes'),
    storedBytes: fields.count('storedBytes'),
    chunks: fields.count('chunks'),
    durationMs: fields.count('durationMs'),
    requests: fields.count('requests'),
    parameters: parametersFrom(fields.object('parameters')),
    costMicros: micros('costMicros'),
    monthlyMicros: micros('monthlyMicros'),
  };
}

function parametersFrom(fields: Fields): UploadParameters {
  const count = (key: string): number | undefined => (fields.get(key) === undefined ? undefined : fields.count(key));
  const flag = (key: string): boolean | undefined => (fields.get(key) === undefined ? undefined : fields.flag(key));
  return defined({
    storageClass: fields.optionalText('storageClass'),
    compressionLevel: count('compressionLevel'),
    frameBytes: count('frameBytes'),
    shards: count('shards'),
    dedup: flag('dedup'),
    direct: flag('direct'),
    changesOnly: flag('changesOnly'),
  });
}
