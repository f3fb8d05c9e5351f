// Content to disk. A file is written under a temporary name in its folder, gets its checksum compared, its owner, mode,
// attributes and times, and only then its name. A file that fails leaves nothing.
import { createHash, hash } from 'node:crypto';
import { errorText } from '../errors.js';
import { displayPath, type RawPath } from '../raw-path.js';
import { wrongContent } from './check-sink.js';
import { ContentHash, scatter } from './content-hash.js';
import type { ContentSink, OpenContent } from './content-sink.js';
import { fileMetadata } from './file-metadata.js';
import { splitPath, type Folder, type OutputTree } from './output-tree.js';
import type { Extra, SelectedTable } from './selected-table.js';
import { dataRuns, type DataRun } from './sparse-map.js';
import type { WriteSettings } from './unpack-protocol.js';

interface Writing extends OpenContent {
  readonly folder: Folder;
  readonly temp: RawPath;
  readonly name: RawPath;
  readonly fd: number;
  readonly hash: ContentHash | undefined;
  readonly runs: readonly DataRun[] | undefined;
  readonly extra: Extra | undefined;
}

const REREAD_BYTES = 1 << 20;

/** Where an entry goes below the output folder. */
export const destinationOf = (table: SelectedTable, index: number, flatten: boolean): RawPath => {
  const path = table.path(index);
  return flatten ? splitPath(path)[1] : path;
};

export class FileSink implements ContentSink {
  private warnings: string[] = [];
  private temporaries = 0;

  constructor(
    private readonly table: SelectedTable,
    private readonly tree: OutputTree,
    private readonly settings: WriteSettings,
    private readonly verifyFiles: boolean,
  ) {}

  private tempName(): RawPath {
    return `${this.settings.tempName}${(this.temporaries++).toString(36)}`;
  }

  whole(index: number, bytes: Uint8Array, extra: Extra | undefined, isChecked: boolean): void {
    const { table, tree } = this;
    const expected = this.verifyFiles && !isChecked ? table.md5(index) : undefined;
    if (expected !== undefined && hash('md5', bytes, 'hex') !== expected) throw wrongContent();
    const [folderPath, name] = splitPath(destinationOf(table, index, this.settings.flatten));
    const folder = tree.folder(folderPath);
    const temp = this.tempName();
    const { creationMode, metadata } = fileMetadata(table, index, folder, this.settings);
    const fd = tree.createFile(folder, temp, creationMode);
    let isOpen = true;
    try {
      if (bytes.byteLength > 0) tree.write(fd, bytes, 0);
      if (extra?.xattrs !== undefined) this.attributes(fd, index, extra.xattrs);
      tree.describe(fd, metadata);
      isOpen = false;
      tree.close(fd);
      tree.rename(folder, temp, name);
    } catch (error) {
      if (isOpen) tree.close(fd);
      tree.remove(folder, temp);
      throw error;
    }
  }

  open(index: number, storedSize: number, extra: Extra | undefined): Writing {
    const { table, tree } = this;
    const size = table.columns.size[index] ?? 0;
    const [folderPath, name] = splitPath(destinationOf(table, index, this.settings.flatten));
    const folder = tree.folder(folderPath);
    const temp = this.tempName();
    const fd = tree.createFile(folder, temp, fileMetadata(table, index, folder, this.settings).creationMode);
    tree.pin(folder);
    const isHashed = this.verifyFiles && table.columns.hasMd5[index] === 1;
    const content: Writing = {
      index,
      remaining: storedSize,
      folder,
      temp,
      name,
      fd,
      hash: isHashed ? new ContentHash() : undefined,
      runs: extra?.holes === undefined ? undefined : dataRuns(size, extra.holes),
      extra,
    };
    try {
      if (content.runs !== undefined) tree.truncate(fd, size);
    } catch (error) {
      this.abandon(content);
      throw error;
    }
    return content;
  }

  write(content: OpenContent, position: number, bytes: Uint8Array): void {
    const { runs, fd, hash } = content as Writing;
    const put = (offset: number, part: Uint8Array): void => {
      this.tree.write(fd, part, offset);
      hash?.update(offset, part);
    };
    if (runs === undefined) put(position, bytes);
    else scatter(runs, position, bytes, put);
  }

  finish(content: OpenContent): void {
    const writing = content as Writing;
    const { index, folder, temp, name, fd, extra } = writing;
    try {
      this.checkHash(writing);
      if (extra?.xattrs !== undefined) this.attributes(fd, index, extra.xattrs);
      this.tree.describe(fd, fileMetadata(this.table, index, folder, this.settings).metadata);
    } catch (error) {
      this.abandon(content);
      throw error;
    }
    this.tree.close(fd);
    this.tree.unpin(folder);
    try {
      this.tree.rename(folder, temp, name);
    } catch (error) {
      this.tree.remove(folder, temp);
      throw error;
    }
  }

  private checkHash({ hash, index, folder, temp }: Writing): void {
    if (hash === undefined) return;
    const actual = hash.digest(this.table.columns.size[index] ?? 0) ?? this.rereadHash(folder, temp);
    if (actual !== this.table.md5(index)) throw wrongContent();
  }

  /** The parts came out of order: read what was written. */
  private rereadHash(folder: Folder, temp: RawPath): string {
    const md5 = createHash('md5');
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    const fd = this.tree.openFile(folder, temp);
    try {
      for (let at = 0; ;) {
        const count = this.tree.read(fd, buffer, at);
        if (count === 0) return md5.digest('hex');
        md5.update(buffer.subarray(0, count));
        at += count;
      }
    } finally {
      this.tree.close(fd);
    }
  }

  private attributes(fd: number, index: number, xattrs: ReadonlyMap<RawPath, Uint8Array>): void {
    const c = this.table.columns;
    const { isRoot } = this.settings;
    // Attributes go with the final owner: a change of owner drops capabilities.
    const owner = isRoot ? { uid: c.uid[index] ?? 0, gid: c.gid[index] ?? 0 } : undefined;
    const mtime = { seconds: c.mtimeSeconds[index] ?? 0, nanos: c.mtimeNanos[index] ?? 0 };
    this.tree.describe(fd, { mtime, mode: 0o600, owner });
    for (const [name, value] of xattrs) {
      try {
        this.tree.setAttribute(fd, name, value);
      } catch (error) {
        this.warnings.push(
          `${displayPath(this.table.path(index))}: attribute ${displayPath(name)} not restored: ${errorText(error)}`,
        );
      }
    }
    // The mode was narrowed to be able to write attributes of a read-only file.
    this.tree.describe(fd, { mtime, mode: (c.mode[index] ?? 0) & 0o777, owner: undefined });
  }

  abandon(content: OpenContent): void {
    const { fd, folder, temp } = content as Writing;
    try {
      this.tree.close(fd);
    } finally {
      this.tree.unpin(folder);
      this.tree.remove(folder, temp);
    }
  }

  takeWarnings(): readonly string[] {
    const taken = this.warnings;
    this.warnings = [];
    return taken;
  }

  dispose(): void {
    this.tree.dispose();
  }
}
