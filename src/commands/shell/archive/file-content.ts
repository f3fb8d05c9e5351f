// The content of files for `cat` and `head`. Nothing is fetched before every name is known to be a file.
import { StringDecoder } from 'node:string_decoder';
import { ArchiverError, isArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, printable } from '../../../core/platform/paths/raw-path.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import { readFile } from '../../../core/restore/listing/read-file.js';
import type { Word } from '../../../core/shell/command-line.js';
import type { ArchiveCall } from '../archive-command.js';
import type { ArchiveSession } from '../archive-session.js';
import type { ShellWriter } from '../shell-writer.js';
import { outageLines } from './outage-lines.js';
import { restoreHint } from './restore-hint.js';

/** An entry in the listing as it was when it was named. */
export interface NamedFile {
  readonly listing: Listing;
  readonly index: number;
}

/** Returns the entries that words stand for. @throws usage for an entry without content */
export async function filesNamed({ session, streams }: ArchiveCall, words: readonly Word[]): Promise<NamedFile[]> {
  const paths = await session.paths(words, streams);
  const { listing } = session;
  return paths.map((path) => {
    const index = listing.find(path);
    const type = index === undefined ? 'directory' : listing.type(index);
    if (index === undefined || type === 'directory')
      throw usageError(`${displayPath(path) || '/'} is a folder`, 'ls shows what is in it');
    const target = listing.extra(index)?.target;
    if (target !== undefined)
      throw usageError(`${displayPath(path)} is a symbolic link to ${displayPath(target)}`, 'name that instead');
    return { listing, index };
  });
}

/** Yields the verified bytes of an entry; `mayStop` for a reader that may not want all. @throws cold-storage with the command that requests it */
export async function* contentOf(
  { listing, index }: NamedFile,
  call: ArchiveCall,
  { mayStop = false }: { readonly mayStop?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  const { session, streams } = call;
  const { reader, uploadId, cache, during, fetchCheck } = session.archive;
  const mayFetch = fetchCheck();
  const pieces = readFile(index, { reader, uploadId, listing, cache, mayStop, mayFetch, signal: streams.signal });
  const tell = outageLines(call);
  try {
    for (;;) {
      const { value, done } = await during(tell, () => pieces.next());
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    if (!isArchiverError(error, 'cold-storage')) throw error;
    throw coldError(session, { listing, index }, error);
  } finally {
    await pieces.return();
    await cache.settled();
  }
}

function coldError({ archive }: ArchiveSession, { listing, index }: NamedFile, cause: Error): ArchiverError {
  const path = listing.path(index);
  const storageClass = listing.storageClass(index) ?? 'cold storage';
  return new ArchiverError('cold-storage', `${displayPath(path)} is in ${storageClass} and not readable yet`, {
    hint: restoreHint(archive.location, [path]),
    cause,
  });
}

const SNIFFED_BYTES = 8192;

/** Writes content: raw bytes, but on a terminal text with all control characters escaped. */
export class ContentWriter {
  private readonly utf8 = new StringDecoder('utf8');
  private isFirst = true;

  constructor(
    private readonly out: ShellWriter,
    private readonly name: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.out.isTerminal) {
      await this.out.writeBytes(bytes);
      return;
    }
    if (this.isFirst && bytes.subarray(0, SNIFFED_BYTES).includes(0))
      throw usageError(`${this.name} is not text`, `get it, or send it elsewhere: cat FILE > LOCAL_FILE`);
    this.isFirst = false;
    await this.out.write(safeText(this.utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))));
  }
}

/** Escapes everything that a terminal obeys, except line ends and tabs. */
const safeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map(escapeRun)
    .join('');
const escapeRun = (run: string): string => (run === '\n' || run === '\t' ? run : printable(run));
