// Puts small files below an output folder: each appears completely or not at all, and never through a symbolic link.
import { ArchiverError } from '../../platform/failures/errors.js';
import { rawFromNumber, type RawPath, splitPath, withEnd } from '../../platform/paths/raw-path.js';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';
import type { OpenFolder } from '../../restore/output-tree/output-folder.js';

const MAX_READ_BYTES = 16 * 1024 * 1024;
/** Narrowed by the umask. */
const MODE = 0o666;

export type Put = 'written' | 'unchanged' | 'replaced';

export class FilePutter {
  private count = 0;

  constructor(private readonly output: OpenFolder) {}

  /** Puts the result of `content`, which gets the existing text. @throws refusals and the system's errors */
  put(path: RawPath, content: (before: string | undefined) => string | Uint8Array): Put {
    const { tree, settings } = this.output;
    const present = this.output.settings.isEmpty ? undefined : tree.present(path);
    const before = present?.kind === 'file' ? this.read(path, present.size) : undefined;
    const bytes = content(before);
    if (bytes === before) return 'unchanged';
    const [folderPath, name] = splitPath(path);
    const folder = tree.folder(folderPath);
    const temporary = withEnd(settings.tempName, rawFromNumber(this.count++));
    const fd = tree.createFile(folder, temporary, MODE);
    try {
      try {
        tree.write(fd, Buffer.from(bytes), 0);
      } finally {
        tree.close(fd);
      }
      tree.rename(folder, temporary, name);
    } catch (error) {
      tree.remove(folder, temporary);
      throw error;
    }
    return present === undefined ? 'written' : 'replaced';
  }

  private read(path: RawPath, size: number): string {
    const { tree } = this.output;
    if (size > MAX_READ_BYTES)
      throw new ArchiverError('unsupported', `it has more than ${MAX_READ_BYTES} bytes, and is left as it is`);
    const [folderPath, name] = splitPath(path);
    const fd = tree.openFile(tree.folder(folderPath), name);
    try {
      const bytes = Buffer.alloc(size);
      const decoded = decodeUtf8(bytes.subarray(0, tree.read(fd, bytes, 0)));
      if (decoded.ok) return decoded.text;
      throw new ArchiverError('unsupported', `line ${decoded.line} of it ${decoded.reason}, and it is left as it is`);
    } finally {
      tree.close(fd);
    }
  }
}
