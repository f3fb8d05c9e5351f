// Extracts the members of an archive into a folder: accepted members are written, refused ones are reported. Symbolic links are made last,
// so that nothing is ever written through one, and folders get their modes and times after that. Without a writer nothing is written: a dry
// run.
import { ArchiverError } from '../../platform/failures/errors.js';
import { displayPath, type RawPath, TOP, splitPath } from '../../platform/paths/raw-path.js';
import { failureReason, fatalError } from '../../restore/output-tree/refusal.js';
import { withAccessLists } from './access-lists.js';
import { ArchiveContents, cleanMemberPath, type Row } from './archive-contents.js';
import { type DiskWriter, isArmed, type OpenFile } from './disk-writer.js';
import { FileIntake } from './file-intake.js';
import { finishExtraction } from './finish-extraction.js';
import type { Losses } from './losses.js';
import type { AccountIds } from '../../format/tar/posix-acl.js';
import type { TarMember } from '../../format/tar/tar-member.js';
import type { TarSink } from '../../format/tar/tar-reader.js';

export interface NotMigrated {
  readonly path: string;
  readonly reason: string;
  /** True for devices and FIFOs, which are left out by design; anything else makes the migration partial. */
  readonly isSpecial: boolean;
}

export interface ExtractionDeps {
  readonly contents: ArchiveContents;
  readonly losses: Losses;
  /** Numbers of this computer's accounts. */
  readonly accounts: AccountIds;
  /** Undefined for a dry run: nothing is written. */
  readonly writer: DiskWriter | undefined;
  readonly onSkip: (skip: NotMigrated) => void;
}

interface Current {
  readonly path: RawPath;
  readonly row: Row;
  readonly xattrs: TarMember['xattrs'];
  readonly file: OpenFile;
  readonly intake: FileIntake;
}

const MAX_MEMBERS = 8_000_000;
const MAX_KEPT_ATTRIBUTES = 64 * 1024 * 1024;

export class Extraction implements TarSink {
  /** Number of files so far, including those that later members replaced. */
  files = 0;
  bytes = 0;
  /** Numbers of the files that have several names. */
  readonly linkedFiles = new Set<number>();
  private readonly armed = new Set<RawPath>();
  private readonly attributes = new Map<RawPath, NonNullable<TarMember['xattrs']>>();
  private attributeBytes = 0;
  private members = 0;
  private root: Row | undefined;
  private current: Current | undefined;
  private isClosing = false;

  constructor(private readonly deps: ExtractionDeps) {}

  get isBusy(): boolean {
    return this.current?.intake.isBusy === true;
  }

  /** Hashes pending zeros, so that the sink is no longer busy. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.current?.intake.settle(signal);
    if (this.isClosing) this.close();
  }

  member(given: TarMember): boolean {
    if (++this.members > MAX_MEMBERS) {
      throw new ArchiverError('unsupported', `it has more than ${MAX_MEMBERS} members, too many to migrate at once`, {
        hint: 'extract it with tar, and archive the folder with `archiver upload`',
      });
    }
    const path = cleanMemberPath(given.path);
    const member = withAccessLists(given, this.deps.accounts, this.deps.losses);
    if (member.kind === 'special' || member.kind === 'unknown') {
      this.skip(path === '' ? member.path : path, member.what, member.kind === 'special');
      return false;
    }
    if (path === '' && member.kind === 'directory') {
      this.root = this.rowOf(member, 'directory');
      this.keepAttributes(path, member.xattrs);
      return false;
    }
    try {
      return this.take(path, member);
    } catch (error) {
      this.failed(path, error);
      return false;
    }
  }

  private take(path: RawPath, member: TarMember): boolean {
    const { contents } = this.deps;
    const linked = member.kind === 'hardlink' ? contents.linked(cleanMemberPath(member.target)) : undefined;
    const kind =
      linked === undefined ? (member.kind as Row['kind']) : typeof linked === 'string' ? 'file' : linked.kind;
    const refusal = typeof linked === 'string' ? linked : contents.refusal(path, kind);
    if (refusal !== undefined) {
      this.skip(path === '' ? member.path : path, refusal, false);
      return false;
    }
    if (linked !== undefined) {
      this.hardlink(path, cleanMemberPath(member.target), linked as Row);
      return false;
    }
    if (kind === 'directory') this.folder(path, member);
    else if (kind === 'symlink') this.symlink(path, member);
    else return this.file(path, member);
    return false;
  }

  private rowOf(member: TarMember, kind: Row['kind']): Row {
    if (member.uid === undefined || member.gid === undefined) this.deps.losses.owners++;
    const { uid = 0, gid = 0, mode, mtime } = member;
    return {
      kind,
      isImplied: false,
      size: kind === 'file' ? member.size : 0,
      mode,
      uid,
      gid,
      seconds: mtime.seconds,
      nanos: mtime.nanos,
      md5: '',
      target: kind === 'symlink' ? member.target : TOP,
      file: this.members,
    };
  }

  private folder(path: RawPath, member: TarMember): void {
    const { contents, writer } = this.deps;
    const before = contents.rows.get(path);
    if (before?.kind !== 'directory') {
      writer?.clear(path, before);
      writer?.makeFolder(path);
    }
    this.put(path, this.rowOf(member, 'directory'));
    this.keepAttributes(path, member.xattrs);
  }

  private symlink(path: RawPath, member: TarMember): void {
    const { contents, writer } = this.deps;
    if (member.target === '') return this.skip(path, 'refused: it is a symbolic link to nothing', false);
    writer?.clear(path, contents.rows.get(path));
    this.put(path, this.rowOf(member, 'symlink'));
    this.keepAttributes(path, member.xattrs);
  }

  private hardlink(path: RawPath, target: RawPath, linked: Row): void {
    const { contents, writer } = this.deps;
    const before = contents.rows.get(path);
    if (before?.file === linked.file) return; // a link to itself, or said twice
    writer?.clear(path, before);
    if (linked.kind === 'file') {
      writer?.link(target, path);
      this.linkedFiles.add(linked.file);
    }
    this.put(path, { ...linked });
    if (this.armed.has(target)) this.armed.add(path);
  }

  private file(path: RawPath, member: TarMember): boolean {
    const { contents, writer } = this.deps;
    const row = this.rowOf(member, 'file');
    if (writer === undefined) {
      this.put(path, row);
      return false;
    }
    writer.clear(path, contents.rows.get(path));
    contents.drop(path);
    const file = writer.create(path, member);
    const write = (bytes: Uint8Array, position: number): void => writer.write(file, bytes, position);
    const intake = new FileIntake({ size: member.size, runs: member.runs, write });
    this.current = { path, row, xattrs: member.xattrs, file, intake };
    return true;
  }

  private put(path: RawPath, row: Row): void {
    this.deps.contents.put(path, row);
    this.armed.delete(path);
    if (row.kind === 'directory') return;
    this.files++;
    this.bytes += row.size;
  }

  /** Keeps the attributes of folders and links, which are set last. */
  private keepAttributes(path: RawPath, xattrs: TarMember['xattrs']): void {
    this.attributes.delete(path);
    if (xattrs === undefined) return;
    for (const [name, value] of xattrs) this.attributeBytes += name.length + value.length;
    if (this.attributeBytes > MAX_KEPT_ATTRIBUTES) this.deps.losses.attributes++;
    else this.attributes.set(path, xattrs);
  }

  data(bytes: Buffer): number {
    if (this.current === undefined) return bytes.byteLength; // writing the file failed: skip the rest of its data
    const { path, intake } = this.current;
    try {
      return intake.data(bytes);
    } catch (error) {
      this.abort();
      this.failed(path, error);
      return bytes.byteLength;
    }
  }

  end(): void {
    if (this.current === undefined) return;
    this.current.intake.end();
    if (this.isBusy) this.isClosing = true;
    else this.close();
  }

  private close(): void {
    const { current } = this;
    if (current === undefined) return;
    this.current = undefined;
    this.isClosing = false;
    const { path, row, xattrs, file, intake } = current;
    row.md5 = intake.digest();
    try {
      this.deps.writer?.finish(file, row, xattrs);
      this.put(path, row);
      if (isArmed(row, xattrs)) this.armed.add(path);
    } catch (error) {
      this.failed(path, error);
    }
  }

  /** Creates the symbolic links and sets the metadata of folders. */
  async finish(signal: AbortSignal): Promise<void> {
    const { contents, writer } = this.deps;
    if (writer === undefined) return;
    const { root, attributes } = this;
    const onFailure = (path: RawPath, error: unknown): void => this.failed(path, error);
    await finishExtraction({ contents, writer, root, attributes, onFailure, signal });
  }

  /** Closes and removes the file being written. */
  abort(): void {
    if (this.current !== undefined) this.deps.writer?.abandon(this.current.file);
    this.current = undefined;
    this.isClosing = false;
  }

  /** Removes setuid, setgid and capabilities from files that stay on this disk. */
  disarm(): void {
    for (const path of this.armed) {
      const row = this.deps.contents.rows.get(path);
      if (row?.kind === 'file') this.deps.writer?.disarm(path, row);
    }
  }

  private skip(path: RawPath, reason: string, isSpecial: boolean): void {
    this.deps.onSkip({ path: displayPath(path), reason, isSpecial });
  }

  /** Reports a member that could not be written, and forgets parent folders that were not made. @throws errors that end the extraction */
  private failed(path: RawPath, error: unknown): void {
    if (error instanceof ArchiverError && error.code === 'no-space') throw error;
    const fatal = fatalError(error);
    if (fatal !== undefined) throw fatal;
    const { contents, writer } = this.deps;
    contents.drop(path);
    for (let [folder] = splitPath(path); folder !== ''; [folder] = splitPath(folder)) {
      if (contents.rows.get(folder)?.isImplied !== true || writer?.exists(folder) === true) break;
      contents.drop(folder);
    }
    this.skip(path, failureReason(error), false);
  }
}
