// An append-only file of records. It begins with its owner; a record is its length (4 bytes, little-endian), the first 16 bytes of the
// SHA-256 of its payload, and the payload. Anything after the last record that matches its digest was not written completely and is
// ignored; continuing the file overwrites it.
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { ArchiverError, integrityError } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';

const MAGIC = 'ARCHLOG1';
const DIGEST = 16;
const PREFIX = 4 + DIGEST;
const MAX_PAYLOAD = 512 * 2 ** 20;

/** Returns the beginning of the log of `owner`, so that the records of one are never mistaken for another's. */
export const logHeader = (owner: string): Buffer => Buffer.from(`${MAGIC}${owner}\n`, 'latin1');

/** Returns the payload in the form that is appended. Its parts are copied. */
export function encodeRecord(parts: readonly Uint8Array[]): Buffer {
  const payload = Buffer.concat(parts);
  const prefix = Buffer.allocUnsafe(PREFIX);
  prefix.writeUInt32LE(payload.length, 0);
  digestOf(payload).copy(prefix, 4);
  return Buffer.concat([prefix, payload]);
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest().subarray(0, DIGEST);

/**
 * Reads the records of `owner` after the first `from` bytes, which must be intact; `what` names the log in messages. Returns how many bytes
 * of the file are intact.
 * @throws integrity, unsupported for a file of another kind or owner; what `onRecord` throws; system errors
 */
export async function readRecords(
  path: string,
  { owner, what }: { readonly owner: string; readonly what: string },
  onRecord: (payload: Buffer) => void,
  from = 0,
): Promise<number> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const header = logHeader(owner);
    const found = await readAt(handle, 0, header.length);
    if (found === undefined || !found.equals(header)) throw foreignLog(path, what, found);
    let length = Math.max(header.length, from);
    for (;;) {
      const payload = await readPayload(handle, length, size);
      if (payload === undefined) return length;
      onRecord(payload);
      length += PREFIX + payload.length;
    }
  } finally {
    await handle.close();
  }
}

function foreignLog(path: string, what: string, found: Buffer | undefined): ArchiverError {
  const start = found?.toString('latin1', 0, MAGIC.length) ?? '';
  if (/^ARCHLOG\d$/.test(start) && start !== MAGIC) {
    return new ArchiverError('unsupported', `${printable(path)} was written by a newer archiver`, {
      hint: 'update archiver',
    });
  }
  return integrityError(`${printable(path)} is not ${what}`);
}

/** Returns the payload at `at`; undefined when the intact records end there. */
async function readPayload(handle: FileHandle, at: number, size: number): Promise<Buffer | undefined> {
  const prefix = await readAt(handle, at, PREFIX);
  if (prefix === undefined) return undefined;
  const length = prefix.readUInt32LE(0);
  if (length > MAX_PAYLOAD || at + PREFIX + length > size) return undefined;
  const payload = await readAt(handle, at + PREFIX, length);
  return payload !== undefined && digestOf(payload).equals(prefix.subarray(4)) ? payload : undefined;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) return undefined;
    done += bytesRead;
  }
  return buffer;
}

/** A log for writing, by one writer at a time; a lock beside it keeps others away. */
export class LogFile {
  private constructor(
    private readonly handle: FileHandle,
    private length: number,
  ) {}

  /**
   * Creates the log of `owner`, which must not exist; or continues one with `soundBytes` intact bytes, cutting off the rest. @throws system
   * errors
   */
  static async open(path: string, owner: string, soundBytes = 0): Promise<LogFile> {
    const handle = await open(path, soundBytes === 0 ? 'wx' : 'r+', 0o600);
    const log = new LogFile(handle, 0);
    try {
      if (soundBytes > 0) await log.cut(soundBytes);
      else await log.write(logHeader(owner));
      return log;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Appends records (from `encodeRecord`) in one write, and flushes them to disk. @throws system errors */
  async append(records: readonly Buffer[]): Promise<void> {
    if (records.length === 0) return;
    await this.write(Buffer.concat(records));
    await this.handle.datasync();
  }

  private async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.handle.write(bytes, at, bytes.length - at, this.length + at);
      at += bytesWritten;
    }
    this.length += bytes.length;
  }

  /** Cuts off everything after the first `length` bytes. @throws system errors */
  async cut(length: number): Promise<void> {
    await this.handle.truncate(length);
    this.length = length;
  }

  /** @throws system errors */
  async close(): Promise<void> {
    await this.handle.close();
  }
}
