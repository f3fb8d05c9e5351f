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
    /** The words of the command, such as `upload`. */
    command: s.text,
    /** Absolute paths of the folders, as they were given. */
    sources: s.listOf(s.text),
    /** The real paths of these folders, joined: the same for two uploads of one source. */
    sourceKey: s.text,
    /** The URL as it was given. */
    destination: s.text,
    /** URL of the store, including the writer. */
    storeUrl: s.text,
    /** Endpoint of an S3-compatible server. */
    endpoint: s.optional(s.text),
    /** Values of the flags by key, without secrets. */
    flags: s.recordOf(s.anything),
    /** Origins of these values, by key. */
    origins: s.recordOf(s.text),
    uploadId,
    /** All IDs of the upload: each run has its own, and the last one is current. Chunks are stored below all of them. */
    uploadIds: s.listOf(uploadId, { least: 1 }),
    datasetId: s.text,
    /** Progress when the state was written; `complete` means committed. */
    status: s.oneOf(['transferring', 'committing', 'complete']),
    /** Time at which the upload began, as in its manifest. */
    createdAt: s.time,
    /** Time at which this run of it began. */
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
      /** Number of chunks sent and still to be sent; absent in states from before 2026-11. */
      chunks: s.exactOptional(s.count),
    }),
    /** The reason why it ended, if known. */
    failure: s.optional(s.text),
  }),
);
const KIND = { type: 'archiver-upload-state', format: 1, noun: 'saved upload', body: STATE };

export type UploadState = s.Read<typeof STATE>;
export type StateStatus = UploadState['status'];
export type StateCounts = UploadState['done'];

/** The parts of the command line that can be saved. */
export type SavedCommand = Pick<
  UploadState,
  'command' | 'sources' | 'sourceKey' | 'destination' | 'storeUrl' | 'endpoint' | 'flags' | 'origins'
>;

/** The text of the file. */
export const encodeState = (state: UploadState): string => encodeStateDocument(KIND, state);

/** Parses the text of the file `name`. @throws integrity when it is damaged or another kind of file, unsupported when it is newer */
export function parseState(text: string, id: string, name: string): UploadState {
  const hint = `the upload cannot be resumed: run its command again with --force-restart, or remove the state with: archiver resume clean --older-than 0`;
  const state = readStateDocument(text, KIND, { path: name, hint });
  if (state.uploadId === id) return state;
  throw integrityError(`the saved upload ${printable(name)} belongs to upload ${state.uploadId}`, { hint });
}
