// `<upload id>.json`: what is known of an upload that is under way or was interrupted. A hint with a checksum: everything
// in it that matters is compared with the store before it is believed.
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { integrityError } from '../failures/errors.js';
import type { Fields } from '../json/json-fields.js';
import { printable } from '../paths/raw-path.js';
import { isUploadId } from '../manifest/upload-id.js';

const KIND = { type: 'archiver-upload-state', format: 1, noun: 'saved upload' };

/** How far the upload came when the state was written: `complete` is committed. */
const STATE_STATUSES = ['transferring', 'committing', 'complete'] as const;
export type StateStatus = (typeof STATE_STATUSES)[number];

/** The command line, as far as it can be written down. */
export interface SavedCommand {
  /** The words of the command: `upload`. */
  readonly command: string;
  /** Folders, absolute, as they were given. */
  readonly sources: readonly string[];
  /** The same folders as they really lie, joined: what two uploads of one source have in common. */
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
  readonly uploadId: string;
  /** Ids that it has gone by; the last one is in force. Chunks lie below all of them. */
  readonly uploadIds: readonly string[];
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
    readonly nextChunk: number;
  };
  /** Why it ended, where it could say. */
  readonly failure?: string | undefined;
}

/** The text of the file. */
export const encodeState = (state: UploadState): string => encodeStateDocument(KIND, state);

/** Reads the text of the file `name`. @throws integrity where it is damaged or another kind of file, unsupported where it is newer */
export function parseState(text: string, uploadId: string, name: string): UploadState {
  const hint = `the upload cannot be resumed: run its command again with --force-restart, or remove the state with: archiver resume clean --older-than 0`;
  const { fields, body } = parseStateDocument(text, KIND, { path: name, hint });
  if (fields.text('uploadId') !== uploadId)
    throw integrityError(`${fields.what} is that of upload ${printable(fields.text('uploadId'))}`, { hint });
  return readState(fields, body as unknown as UploadState);
}

// The checksum says that this program wrote it; what a path or a number is made of is looked at all the same.
function readState(fields: Fields, state: UploadState): UploadState {
  const ids = fields.list('uploadIds').map((id) => (typeof id === 'string' && isUploadId(id) ? id : undefined));
  if (ids.length === 0 || ids.includes(undefined)) fields.fail('uploadIds', 'a list of upload ids');
  for (const key of ['command', 'sourceKey', 'destination', 'storeUrl', 'datasetId'] as const) fields.text(key);
  for (const key of ['createdAt', 'startedAt', 'updatedAt'] as const)
    if (Number.isNaN(Date.parse(fields.text(key)))) fields.fail(key, 'a time');
  if (!fields.list('sources').every((source) => typeof source === 'string')) fields.fail('sources', 'a list of texts');
  if (!STATE_STATUSES.includes(fields.text('status') as StateStatus)) fields.fail('status', 'a known status');
  const plan = fields.object('plan');
  for (const key of ['chunkBytes', 'shards', 'frameBytes', 'nextChunk'] as const) plan.count(key);
  for (const counts of [fields.object('totals'), fields.object('found'), fields.object('done')])
    for (const key of ['files', 'bytes'] as const) counts.count(key);
  for (const key of ['chunks', 'storedBytes'] as const) fields.object('done').count(key);
  fields.object('flags');
  fields.object('origins');
  return state;
}
