// The content of files for `cat` and `head`. Nothing is fetched before every name is known to be a file.
import { displayPath } from '../../../core/platform/paths/raw-path.js';
import type { Word } from '../../../core/shell/command-line.js';
import { ContentWriter, contentOf as contentIn, fileAt, type NamedFile } from '../../kit/file-content.js';
import type { ArchiveCall } from '../archive-command.js';
import { outageLines } from './outage-lines.js';

/** Returns the entries that words stand for. @throws usage for an entry without content */
export async function filesNamed({ session, streams }: ArchiveCall, words: readonly Word[]): Promise<NamedFile[]> {
  const paths = await session.paths(words, streams);
  const { listing } = session;
  return paths.map((path) =>
    fileAt(listing, listing.find(path), { name: displayPath(path) || '/', folderHint: 'ls shows what is in it' }),
  );
}

/** Yields the verified bytes of an entry; `mayStop` for a reader that may not want all. @throws cold-storage with the command that requests it */
export const contentOf = (
  file: NamedFile,
  call: ArchiveCall,
  { mayStop = false }: { readonly mayStop?: boolean } = {},
): AsyncGenerator<Uint8Array> => {
  const { session, streams } = call;
  return contentIn(file, session.archive, { emit: outageLines(call), signal: streams.signal, mayStop });
};

/** Returns the writer of a file's content to where the line sends it. */
export const writerOf = ({ out }: Pick<ArchiveCall, 'out'>, { listing, index }: NamedFile): ContentWriter =>
  new ContentWriter(out, displayPath(listing.path(index)), 'get it, or send it elsewhere: cat FILE > LOCAL_FILE');
