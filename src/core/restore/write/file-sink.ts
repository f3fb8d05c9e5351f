// Writes content to disk. A file is written under a temporary name in its folder, gets its checksum compared, its owner, mode, attributes
// and times, and only then its name. Where the output folder was empty, a small one that comes whole and was compared before is created under
// its name at once (folder-note.ts); it gets its time last, and must not have it before its attributes. A file that fails leaves nothing. Files of some size are compared when there are several
// (pending-files.ts), and keep their temporary names until then.
import { hash } from 'node:crypto';
import { seededHash } from '../../format/chunk/seeded-hash.js';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import { displayPath, type RawPath, rawFromNumber, splitPath, withEnd } from '../../platform/paths/raw-path.js';
import { wrongContent } from './check-sink.js';
import { ContentHash, HoleLimit, pieceHash, scatter } from './content-hash.js';
import type { ContentSink, OpenContent, Settled } from './content-sink.js';
import { fileMetadata } from './file-metadata.js';
import { FolderNote } from './folder-note.js';
import { type Folder, type Metadata, type OutputTree } from '../output-tree/output-tree.js';
import { PendingFiles } from './pending-files.js';
import { setAttributes } from './set-attributes.js';
import { destinationOf, type Extra, type SeededDigest, type SelectedTable } from '../plan/selected-table.js';
import { dataRuns, type DataRun, writeAround } from '../plan/sparse-map.js';
import type { WriteSettings } from '../output-tree/write-settings.js';

interface Created {
  readonly fd: number;
  /** The name that it has now. */
  readonly made: RawPath;
}

interface Writing extends OpenContent {
  readonly folder: Folder;
  readonly temp: RawPath;
  readonly name: RawPath;
  readonly fd: number;
  /** Undefined if nothing is compared, or only after all is written. */
  readonly hash: ContentHash | undefined;
  readonly isPending: boolean;
  /** What it is compared with instead of its MD5. */
  readonly seeded: SeededDigest | undefined;
  readonly runs: readonly DataRun[] | undefined;
  readonly extra: Extra | undefined;
}

const REREAD_BYTES = 1 << 20;
/** Larger files get a temporary name wherever they are: those are written for long enough to be seen, and are few. */
const MAX_NAMED_BYTES = 1 << 16;

export class FileSink implements ContentSink {
  private warnings: string[] = [];
  private temporaries = 0;
  private readonly pending = new PendingFiles();
  private readonly undecided = new Set<Writing>();
  private settled: Settled[] = [];
  private readonly digest = Buffer.alloc(8);
  /** Undefined where files get temporary names. */
  private readonly note: FolderNote | undefined;

  constructor(
    private readonly table: SelectedTable,
    private readonly tree: OutputTree,
    private readonly settings: WriteSettings,
    private readonly verifyFiles: boolean,
    private readonly holes = new HoleLimit(),
  ) {
    this.note = settings.isEmpty ? new FolderNote(tree, settings.tempName) : undefined;
  }

  private tempName(): RawPath {
    return withEnd(this.settings.tempName, rawFromNumber(this.temporaries++, 36));
  }

  whole(index: number, bytes: Uint8Array, extra: Extra | undefined, isChecked: boolean): boolean {
    if (this.verifyFiles && !isChecked) {
      const seeded = this.table.seeded(index, extra);
      const expected = seeded === undefined ? this.table.md5(index) : undefined;
      if (expected !== undefined && this.pending.takes(bytes.byteLength)) return this.wholeLater(index, bytes, extra);
      if (expected !== undefined && hash('md5', bytes, 'hex') !== expected) throw wrongContent();
      if (seeded !== undefined) this.assertSeeded(index, seeded, bytes);
    }
    this.create(index, bytes, extra);
    return true;
  }

  /** Makes a file of right content. */
  private create(index: number, bytes: Uint8Array, extra: Extra | undefined): void {
    const { tree, note, table, settings } = this;
    const [folderPath, name] = splitPath(destinationOf(table, index, settings.flatten));
    const folder = tree.folder(folderPath);
    const { creationMode, metadata } = fileMetadata(table, index, folder, settings);
    const { fd, made } =
      note !== undefined && bytes.byteLength <= MAX_NAMED_BYTES && extra?.xattrs === undefined
        ? this.createNamed(note, { folder, folderPath, name, mode: creationMode })
        : this.createTemporary(folder, creationMode);
    let isOpen = true;
    try {
      if (bytes.byteLength > 0) tree.write(fd, bytes, 0);
      this.finishContent(fd, index, extra, metadata);
      isOpen = false;
      tree.close(fd);
      if (made !== name) tree.rename(folder, made, name);
      else if (note?.isStale === true) this.expectThere(index);
    } catch (error) {
      if (isOpen) tree.close(fd);
      tree.remove(folder, made);
      throw error;
    }
  }

  private expectThere(index: number): void {
    if (this.tree.present(destinationOf(this.table, index, this.settings.flatten)) === undefined)
      throw new Error('it was removed by another restore while this one was stopped');
  }

  private createTemporary(folder: Folder, mode: number): Created {
    const made = this.tempName();
    return { fd: this.tree.createFile(folder, made, mode), made };
  }

  /** Creates a file under its own name, unless something else has that. */
  private createNamed(
    note: FolderNote,
    { folder, folderPath, name, mode }: Readonly<{ folder: Folder; folderPath: RawPath; name: RawPath; mode: number }>,
  ): Created {
    note.enter(folderPath);
    try {
      return { fd: this.tree.createFile(folder, name, mode), made: name };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      return this.createTemporary(folder, mode);
    }
  }

  private assertSeeded(index: number, { seed, xxh64 }: SeededDigest, bytes: Uint8Array): void {
    seededHash()?.write(bytes, seed, this.digest, 0);
    if (this.digest.readBigUInt64BE(0) !== xxh64) this.assertMd5(index, () => hash('md5', bytes, 'hex'));
  }

  /** The last word on content that does not match its XXH64: nothing else has ever compared that one with what is stored. */
  private assertMd5(index: number, actual: () => string): void {
    const expected = this.table.md5(index);
    if (expected === undefined || actual() !== expected) throw wrongContent();
  }

  private wholeLater(index: number, bytes: Uint8Array, extra: Extra | undefined): boolean {
    const content = this.open(index, bytes.byteLength, extra);
    try {
      this.write(content, 0, bytes);
    } catch (error) {
      this.abandon(content);
      throw error;
    }
    return this.finish(content);
  }

  open(index: number, storedSize: number, extra: Extra | undefined): Writing {
    const { table, tree } = this;
    const size = table.columns.size[index] ?? 0;
    const checking = this.checking(index, size, extra);
    const [folderPath, name] = splitPath(destinationOf(table, index, this.settings.flatten));
    const folder = tree.folder(folderPath);
    const temp = this.tempName();
    const fd = tree.createFile(folder, temp, fileMetadata(table, index, folder, this.settings).creationMode);
    tree.pin(folder);
    const content: Writing = {
      index,
      remaining: storedSize,
      folder,
      temp,
      name,
      fd,
      ...checking,
      runs: extra?.holes === undefined ? undefined : dataRuns(size, extra.holes),
      extra,
    };
    try {
      if ((content.runs ?? extra?.zeroRuns) !== undefined) tree.truncate(fd, size);
    } catch (error) {
      this.abandon(content);
      throw error;
    }
    return content;
  }

  /** How a file is compared that comes in pieces. */
  private checking(
    index: number,
    size: number,
    extra: Extra | undefined,
  ): Pick<Writing, 'hash' | 'isPending' | 'seeded'> {
    const seeded = this.verifyFiles ? this.table.seeded(index, extra) : undefined;
    const isHashed = seeded !== undefined || (this.verifyFiles && this.table.columns.hasMd5[index] === 1);
    if (isHashed) this.holes.take(extra?.holes);
    const isPending = isHashed && seeded === undefined && this.pending.takes(size);
    return { hash: isHashed && !isPending ? new ContentHash(this.holes, seeded?.seed) : undefined, isPending, seeded };
  }

  write(content: OpenContent, position: number, bytes: Uint8Array): void {
    const { runs, fd, hash, extra } = content as Writing;
    const put = (offset: number, part: Uint8Array): void => {
      if (extra?.zeroRuns === undefined) this.tree.write(fd, part, offset);
      else writeAround(extra.zeroRuns, offset, part, (at, data) => this.tree.write(fd, data, at));
      hash?.update(offset, part);
    };
    if (runs === undefined) put(position, bytes);
    else scatter(runs, position, bytes, put);
  }

  finish(content: OpenContent): boolean {
    const writing = content as Writing;
    if (!writing.isPending) {
      this.place(writing, () => this.checkHash(writing));
      return true;
    }
    this.undecided.add(writing);
    this.pending.add({
      sizeBytes: this.table.columns.size[writing.index] ?? 0,
      read: (into, position) => this.tree.read(writing.fd, into, position),
      done: (md5, error) => this.decide(writing, md5, error),
    });
    return false;
  }

  private decide(writing: Writing, md5: string | undefined, problem: unknown): void {
    const { index } = writing;
    this.undecided.delete(writing);
    try {
      this.place(writing, () => {
        if (md5 === undefined) throw problem;
        if (md5 !== this.table.md5(index)) throw wrongContent();
      });
      this.settled.push({ index, error: undefined });
    } catch (error) {
      this.settled.push({ index, error });
    }
  }

  settleAll(): void {
    this.pending.finish();
  }

  takeSettled(): readonly Settled[] {
    const taken = this.settled;
    if (taken.length > 0) this.settled = [];
    return taken;
  }

  /** Gives a complete and correct file its metadata and its name; nothing is left of any other. */
  private place(writing: Writing, check: () => void): void {
    const { index, folder, temp, name, fd, extra } = writing;
    try {
      check();
      this.finishContent(fd, index, extra, fileMetadata(this.table, index, folder, this.settings).metadata);
    } catch (error) {
      this.abandon(writing);
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

  private checkHash({ hash, index, fd, seeded }: Writing): void {
    if (hash === undefined) return;
    const actual = hash.digest(this.table.columns.size[index] ?? 0) ?? this.rereadHash(fd, seeded?.seed);
    if (seeded === undefined) this.assertMd5(index, () => actual);
    else if (BigInt(`0x${actual}`) !== seeded.xxh64) this.assertMd5(index, () => this.rereadHash(fd, undefined));
  }

  /** Computes the checksum by reading the file back: the parts came out of order. */
  private rereadHash(fd: number, seed: bigint | undefined): string {
    const whole = pieceHash(seed);
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    for (let at = 0; ;) {
      const count = this.tree.read(fd, buffer, at);
      if (count === 0) return whole.digest();
      whole.update(buffer.subarray(0, count));
      at += count;
    }
  }

  private finishContent(fd: number, index: number, extra: Extra | undefined, metadata: Metadata): void {
    if (extra?.xattrs === undefined) this.tree.describe(fd, metadata);
    else {
      const given = this.attributes(fd, index, extra.xattrs);
      const mode = metadata.mode === undefined ? undefined : given(metadata.mode);
      // The file has its owner already, and another chown, even to the same owner, would drop capabilities.
      this.tree.describe(fd, { ...metadata, mode, owner: undefined });
    }
  }

  private attributes(fd: number, index: number, xattrs: Extra['xattrs']): (mode: number) => number {
    const c = this.table.columns;
    const { isRoot } = this.settings;
    // Attributes come after the final owner: chown drops capabilities.
    const owner = isRoot ? { uid: c.uid[index] ?? 0, gid: c.gid[index] ?? 0 } : undefined;
    const mtime = { seconds: c.mtimeSeconds[index] ?? 0, nanos: c.mtimeNanos[index] ?? 0 };
    this.tree.describe(fd, { mtime, mode: 0o600, owner });
    const given = setAttributes(
      (name, value) => this.tree.setAttribute(fd, name, value),
      xattrs,
      (name, error) =>
        this.warnings.push(
          `${displayPath(this.table.path(index))}: attribute ${displayPath(name)} not restored: ${errorText(error)}`,
        ),
    );
    // The mode was changed so that attributes of a read-only file could be written.
    this.tree.describe(fd, { mtime, mode: given((c.mode[index] ?? 0) & 0o777), owner: undefined });
    return given;
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
    this.pending.clear();
    for (const writing of this.undecided) this.abandon(writing);
    this.undecided.clear();
    this.note?.remove();
    this.tree.dispose();
  }
}
