// `<upload id>.json`: the state of an upload that is under way or was interrupted. A hint with a checksum: everything in it
// that matters is checked against the store before it is used.
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { integrityError } from '../failures/errors.js';
import type { Fields } from '../json/json-fields.js';
import { printable } from '../paths/raw-path.js';
import { isUploadId, type UploadId } from '../ids/upload-id.js';

const KIND = { type: 'archiver-upload-state', format: 1, noun: 'saved upload' };

/** How far the upload came when the state was written: `complete` is committed. */
const STATE_STATUSES = ['transferring', 'committing', 'complete'] as const;
export type StateStatus = (typeof STATE_STATUSES)[number];

/** The command line, as far as it can be saved. */
export interface SavedCommand {
  /** The words of the command: `upload`. */
  readonly command: string;
  /** Folders, absolute, as they were given. */
  readonly sources: readonly string[];
  /** The real paths of these folders, joined: the same for two uploads of one source. */
  readonly sourceKey: string;
  /** The URL as it was given. */
  readonly destination: string;
  /** Where the store is: writer included. */
  readonly storeUrl: string;
  /** Of an S3-compatible server. */
  readonly endpoint?: string | undefined;
  /** Values of the flags by key, without secrets. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Where they came from. */
  readonly origins: Readonly<Record<string, string>>;
}

export interface StateCounts {
  readonly files: number;
  readonly bytes: number;
  readonly chunks: number;
  readonly storedBytes: number;
}

export interface UploadState extends SavedCommand {
  readonly uploadId: UploadId;
  /** Ids that it has had: each run has its own, and the last one is current. Chunks are below all of them. */
  readonly uploadIds: readonly UploadId[];
  readonly datasetId: string;
  readonly status: StateStatus;
  /** When the upload began, as in its manifest. */
  readonly createdAt: string;
  /** When this run of it began. */
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly totals: { readonly files: number; readonly bytes: number };
  /** Done when this run began. */
  readonly found: { readonly files: number; readonly bytes: number };
  readonly done: StateCounts;
  readonly plan: {
    readonly chunkBytes: number;
    readonly shards: number;
    readonly frameBytes: number;
    readonly level: number | null;
    /** Sent and still to be sent; not in states of before 2026-11. */
    readonly chunks?: number;
  };
  /** Why it ended, if known. */
  readonly failure?: string | undefined;
}

/** The text of the file. */
export const encodeState = (state: UploadState): string => encodeStateDocument(KIND, state);

/** Reads the text of the file `name`. @throws integrity where it is damaged or another kind of file, unsupported where it is newer */
export function parseState(text: string, uploadId: string, name: string): UploadState {
  const hint = `the upload cannot be resumed: run its command again with --force-restart, or remove the state with: archiver resume clean --older-than 0`;
  const { fields, body } = parseStateDocument(text, KIND, { path: name, hint });
  if (fields.text('uploadId') !== uploadId)
    throw integrityError(`${fields.what} belongs to upload ${printable(fields.text('uploadId'))}`, { hint });
  return readState(fields, body as unknown as UploadState);
}

// The checksum shows that this program wrote it; paths and numbers are checked nevertheless.
function readState(fields: Fields, state: UploadState): UploadState {
  const ids = fields.list('uploadIds').map((id) => (typeof id === 'string' && isUploadId(id) ? id : undefined));
  if (ids.length === 0 || ids.includes(undefined)) fields.fail('uploadIds', 'a list of upload ids');
  for (const key of ['command', 'sourceKey', 'destination', 'storeUrl', 'datasetId'] as const) fields.text(key);
  for (const key of ['createdAt', 'startedAt', 'updatedAt'] as const)
    if (Number.isNaN(Date.parse(fields.text(key)))) fields.fail(key, 'a time');
  if (!fields.list('sources').every((source) => typeof source === 'string')) fields.fail('sources', 'a list of texts');
  if (!STATE_STATUSES.includes(fields.text('status') as StateStatus)) fields.fail('status', 'a known status');
  const plan = fields.object('plan');
  for (const key of ['chunkBytes', 'shards', 'frameBytes'] as const) plan.count(key);
  if (plan.get('chunks') !== undefined) plan.count('chunks');
  for (const counts of [fields.object('totals'), fields.object('found'), fields.object('done')])
    for (const key of ['files', 'bytes'] as const) counts.count(key);
  for (const key of ['chunks', 'storedBytes'] as const) fields.object('done').count(key);
  fields.object('flags');
  fields.object('origins');
  return state;
}
