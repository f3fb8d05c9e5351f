// The end of an extraction: symbolic links are made once no file can be written through them any more, then folders get their metadata.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { ArchiveContents, Row } from './archive-contents.js';
import type { DiskWriter } from './disk-writer.js';
import type { TarMember } from '../../format/tar/tar-member.js';

export interface FinishOptions {
  readonly contents: ArchiveContents;
  readonly writer: DiskWriter;
  /** The archive's entry for the top folder itself. */
  readonly root: Row | undefined;
  /** Extended attributes of links and folders. */
  readonly attributes: ReadonlyMap<RawPath, NonNullable<TarMember['xattrs']>>;
  /** Gets errors that concern one path. @throws errors that end the extraction */
  readonly onFailure: (path: RawPath, error: unknown) => void;
  readonly signal: AbortSignal;
}

const AT_ONCE = 1000;

/** Creates the symbolic links and sets the metadata of folders. */
export async function finishExtraction(options: FinishOptions): Promise<void> {
  const { contents, writer, root, attributes } = options;
  const paths = [...contents.rows.keys()];
  await each(options, 'symlink', paths, (path, row) => writer.symlink(path, row, attributes.get(path)));
  // Deepest first: writing in a folder changes its time, and a restrictive mode would keep us out.
  await each(options, 'directory', paths.sort().toReversed(), (path, row) => {
    if (!row.isImplied) writer.finishFolder(path, row, attributes.get(path));
  });
  if (root !== undefined) writer.finishFolder(TOP, root, attributes.get(TOP));
}

async function each(
  { contents, onFailure, signal }: FinishOptions,
  kind: Row['kind'],
  paths: readonly RawPath[],
  make: (path: RawPath, row: Row) => void,
): Promise<void> {
  let count = 0;
  for (const path of paths) {
    if (++count % AT_ONCE === 0) await yieldToOthers();
    signal.throwIfAborted();
    const row = contents.rows.get(path);
    if (row?.kind !== kind) continue;
    try {
      make(path, row);
    } catch (error) {
      onFailure(path, error);
    }
  }
}
