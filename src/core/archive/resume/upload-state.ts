// `<upload id>.json`: the state of an upload that is under way or was interrupted. A hint with a checksum: everything in it
// that matters is checked against the store before it is used.
import * as s from '../../platform/documents/schema.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';

const FILES = { files: s.count, bytes: s.count };

const STATE = s.schema(() =>
  s.openObject({
    /** The words of the command: `upload`. */
    command: s.text,
    /** Folders, absolute, as they were given. */
    sources: s.listOf(s.text),
    /** The real paths of these folders, joined: the same for two uploads of one source. */
    sourceKey: s.text,
    /** The URL as it was given. */
    destination: s.text,
    /** Where the store is: writer included. */
    storeUrl: s.text,
    /** Of an S3-compatible server. */
    endpoint: s.optional(s.text),
    /** Values of the flags by key, without secrets. */
    flags: s.recordOf(s.anything),
    /** Where they came from. */
    origins: s.recordOf(s.text),
    uploadId,
    /** Ids that it has had: each run has its own, and the last one is current. Chunks are below all of them. */
    uploadIds: s.listOf(uploadId, { least: 1 }),
    datasetId: s.text,
    /** How far the upload came when the state was written: `complete` is committed. */
    status: s.oneOf(['transferring', 'committing', 'complete']),
    /** When the upload began, as in its manifest. */
    createdAt: s.time,
    /** When this run of it began. */
    startedAt: s.time,
    updatedAt: s.time,
    totals: s.object(FILES),
    /** Done when this run began. */
    found: s.object(FILES),
    done: s.object({ ...FILES, chunks: s.count, storedBytes: s.count }),
    plan: s.object({
      chunkBytes: s.count,
      shards: s.count,
      frameBytes: s.count,
      level: s.nullable(s.count),
      /** Sent and still to be sent; not in states of before 2026-11. */
      chunks: s.exactOptional(s.count),
    }),
    /** Why it ended, if known. */
    failure: s.optional(s.text),
  }),
);
const KIND = { type: 'archiver-upload-state', format: 1, noun: 'saved upload', body: STATE };

export type UploadState = s.Read<typeof STATE>;
export type StateStatus = UploadState['status'];
export type StateCounts = UploadState['done'];

/** The command line, as far as it can be saved. */
export type SavedCommand = Pick<
  UploadState,
  'command' | 'sources' | 'sourceKey' | 'destination' | 'storeUrl' | 'endpoint' | 'flags' | 'origins'
>;

/** The text of the file. */
export const encodeState = (state: UploadState): string => encodeStateDocument(KIND, state);

/** Reads the text of the file `name`. @throws integrity where it is damaged or another kind of file, unsupported where it is newer */
export function parseState(text: string, id: string, name: string): UploadState {
  const hint = `the upload cannot be resumed: run its command again with --force-restart, or remove the state with: archiver resume clean --older-than 0`;
  const state = readStateDocument(text, KIND, { path: name, hint });
  if (state.uploadId === id) return state;
  throw integrityError(`the saved upload ${printable(name)} belongs to upload ${state.uploadId}`, { hint });
}
