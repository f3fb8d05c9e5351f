// `<upload id>.progress`: how far a running upload is, as its own display says it. Twice a second, in place and without waiting for the
// disk, which is far cheaper than to replace the state. Only a hint: what cannot be read counts as none.
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import * as s from '../../platform/documents/schema.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';

const EVERY_MS = 500;
/** Each write covers the one before it. */
const FILE_BYTES = 512;

const TOTALS = { files: s.count, bytes: s.count };
const BODY = s.schema(() => s.openObject({ at: s.time, ...TOTALS, of: s.object(TOTALS) }));
const KIND = { type: 'archiver-upload-progress', format: 1, noun: 'progress', body: BODY };

/** `files` and `bytes` that were sent of the plan of this run, `of`; `at` is when that was so. */
export type UploadProgress = s.Read<typeof BODY>;

export class ProgressFile {
  private handle: FileHandle | undefined;
  private writing: Promise<void> = Promise.resolve();
  private writtenMs = Number.NEGATIVE_INFINITY;
  private latest: UploadProgress | undefined;

  constructor(private readonly path: string) {}

  /** Notes the progress; it is written when the last write is half a second old. */
  note(progress: UploadProgress): void {
    this.latest = progress;
    if (Date.parse(progress.at) - this.writtenMs >= EVERY_MS) void this.write();
  }

  /** Writes what was noted last. A failure leaves the file as it is, with its time: the state tells the rest. */
  write(): Promise<void> {
    const { latest } = this;
    if (latest === undefined) return this.writing;
    this.latest = undefined;
    this.writtenMs = Date.parse(latest.at);
    const text = encodeStateDocument(KIND, latest)
      .trimEnd()
      .padEnd(FILE_BYTES - 1);
    this.writing = this.writing
      .then(async () => {
        this.handle ??= await open(this.path, 'w', 0o600);
        await this.handle.write(`${text}\n`, 0);
      })
      .catch(() => undefined);
    return this.writing;
  }

  /** Removes the file. @throws system errors */
  async remove(): Promise<void> {
    await this.writing;
    await this.handle?.close();
    await rm(this.path, { force: true });
  }
}

/** Reads the file; undefined when there is none, or it is being written. */
export async function readProgress(path: string): Promise<UploadProgress | undefined> {
  try {
    return readStateDocument(await readFile(path, 'utf8'), KIND, { path, hint: '' });
  } catch {
    return undefined;
  }
}
