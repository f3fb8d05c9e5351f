// Writes `.dvc` files one after another, gathering the files of a tracked folder until it ends.
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { ArchiverError } from '../../platform/failures/errors.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import {
  type RawPath,
  textFromRaw,
  rawFromText,
  baseName,
  rawFromNumber,
  splitPath,
  withEnd,
} from '../../platform/paths/raw-path.js';
import { Failures, resultPath } from '../../platform/failures/failure-list.js';
import type { OpenFolder } from '../../restore/output-tree/output-folder.js';
import { failureReason, fatalError } from '../../restore/output-tree/refusal.js';
import { type HashedFile, FolderHasher, type FolderHash } from './dir-hash.js';
import { isInOwnFolder, isUntrackable, sidecarOf } from './untrackable.js';
import { sidecarText, type TrackedOut } from './sidecar-text.js';
import type { SidecarFile, SidecarResult, TrackedFolder } from './sidecar-types.js';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';
import { readDocument } from '../../platform/text/yaml-document.js';

export interface SidecarRunOptions {
  readonly output: OpenFolder;
  readonly folders: ReadonlySet<RawPath>;
  /** Opens DVC's cache, when the first folder needs it. */
  readonly openCache: (() => OpenFolder) | undefined;
}

const EXECUTABLE = 0o111;
const SHOWN = 10;

export class SidecarRun {
  private readonly putter: FilePutter;
  private cache: FilePutter | undefined;
  private folder: FolderList | undefined;
  private readonly failures = new Failures();
  private readonly counts = { files: 0, ignored: 0, links: 0 };
  private readonly folders: TrackedFolder[] = [];
  private readonly puts = { written: 0, unchanged: 0, replaced: 0 };
  private readonly firstReplaced: string[] = [];

  constructor(private readonly options: SidecarRunOptions) {
    this.putter = new FilePutter(options.output);
  }

  /** Adds the next file in path order. @throws no-space, io when nothing can be written any more */
  add(file: SidecarFile): void {
    const { path, type } = file;
    if (type === 'directory') return;
    const folder = this.folderOf(path);
    if (folder === undefined ? isUntrackable(path) : isInOwnFolder(path)) {
      this.counts.ignored++;
      return;
    }
    if (type === 'symlink') {
      this.counts.links++;
      return;
    }
    if (this.folder !== undefined && this.folder.path !== folder) this.endFolder(this.folder);
    this.attempt(path, () => {
      const hashed = hashedFile(file, folder === undefined ? 0 : folder.length + 1);
      if (folder !== undefined) {
        (this.folder ??= new FolderList(folder)).add(hashed);
        return;
      }
      this.putSidecar(path, { ...hashed, isExecutable: (file.mode & EXECUTABLE) !== 0 });
      this.counts.files++;
    });
  }

  finish(): SidecarResult {
    if (this.folder !== undefined) this.endFolder(this.folder);
    const { counts, folders, puts, firstReplaced, failures } = this;
    return { ...counts, folders, ...puts, firstReplaced, failed: failures.list };
  }

  /** Returns the outermost output that contains this path, so that its files are consecutive. */
  private folderOf(path: RawPath): RawPath | undefined {
    if (this.options.folders.size === 0) return undefined;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash);
      if (this.options.folders.has(folder)) return folder;
    }
    return undefined;
  }

  private endFolder(folder: FolderList): void {
    this.folder = undefined;
    this.attempt(folder.path, () => {
      const { out, list } = folder.finish();
      this.putSidecar(folder.path, out);
      this.folders.push({ path: folder.path, ...out });
      if (this.options.openCache === undefined) return;
      this.cache ??= new FilePutter(this.options.openCache());
      // The name is the digest of the content, so an existing file is the same.
      this.cache.put(rawFromText(`files/md5/${out.md5.slice(0, 2)}/${out.md5.slice(2)}`), (before) => before ?? list);
    });
  }

  private putSidecar(path: RawPath, out: TrackedOut): void {
    const rawName = baseName(path);
    const name = textFromRaw(rawName) ?? rawName; // hashedFile accepted only UTF-8
    const put = this.putter.put(sidecarOf(path), (before) =>
      before === undefined ? sidecarText(name, out) : updatedSidecar(before, name, out),
    );
    this.puts[put]++;
    if (put === 'replaced' && this.firstReplaced.length < SHOWN) this.firstReplaced.push(resultPath(sidecarOf(path)));
  }

  /** Records a failure to write one file; the others continue. @throws errors that end everything */
  private attempt(path: RawPath, work: () => void): void {
    try {
      work();
    } catch (error) {
      const fatal = fatalError(error);
      if (fatal !== undefined) throw fatal;
      this.failures.add(path, failureReason(error));
    }
  }
}

/** Returns what DVC needs to know about a file; `skip` bytes of its path are left out. @throws when DVC cannot track it */
function hashedFile({ path, size, md5 }: SidecarFile, skip: number): HashedFile {
  const problem = pathProblem(path);
  if (problem !== undefined) throw refused(`refused: ${problem}`);
  if (md5 === undefined) throw refused('the manifest has no MD5 of it');
  const text = textFromRaw(path.slice(skip));
  if (text === undefined) throw refused('its name is not UTF-8, and DVC files must be');
  return { path: text, md5, size };
}

const refused = (reason: string): ArchiverError => new ArchiverError('unsupported', reason);

// Puts small files below an output folder: each appears completely or not at all, and never through a symbolic link.

/** A larger file is not one of ours, and is not read. */
const MAX_READ_BYTES = 64 * 1024;
/** Narrowed by the umask. */
const MODE = 0o666;

type Put = 'written' | 'unchanged' | 'replaced';

class FilePutter {
  private count = 0;

  constructor(private readonly output: OpenFolder) {}

  /** Puts the result of `content`, which gets the existing text. @throws refusals and the system's errors */
  put(path: RawPath, content: (before: string | undefined) => string | Uint8Array): Put {
    const { tree, settings } = this.output;
    const present = this.output.isEmpty ? undefined : tree.present(path);
    const before =
      present?.kind === 'file' && present.size <= MAX_READ_BYTES ? this.read(path, present.size) : undefined;
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

// Collects a folder output while its files are added: its hash, and the list for DVC's cache.

const PIECE_CHARACTERS = 64 * 1024;

interface FinishedFolder {
  readonly out: FolderHash;
  /** The content for DVC's cache. */
  readonly list: Uint8Array;
}

class FolderList {
  private readonly hasher: FolderHasher;
  private readonly pieces: Buffer[] = [];
  private piece = '';

  constructor(readonly path: RawPath) {
    this.hasher = new FolderHasher((text) => this.take(text));
  }

  /** Adds a file in path order; its path is relative to the folder. */
  add(file: HashedFile): void {
    this.hasher.add(file);
  }

  finish(): FinishedFolder {
    const out = this.hasher.finish();
    return { out, list: Buffer.concat([...this.pieces, Buffer.from(this.piece, 'latin1')]) };
  }

  // Latin-1 is enough, because the hasher escapes everything that is not ASCII.
  private take(text: string): void {
    this.piece += text;
    if (this.piece.length < PIECE_CHARACTERS) return;
    this.pieces.push(Buffer.from(this.piece, 'latin1'));
    this.piece = '';
  }
}

// Updating an existing `.dvc` file keeps what people wrote into it: descriptions, labels, remotes, comments.

const OUT = ['outs', 0] as const;

/** Returns the text that replaces `before`; `before` itself when nothing changes. */
export function updatedSidecar(before: string, name: string, out: TrackedOut): string {
  const fresh = sidecarText(name, out);
  if (before === fresh) return before;
  const { document } = readDocument(before);
  if (document === undefined || !isOfOneOut(document, name)) return fresh;
  const current = fieldsOf(document);
  const wanted = fieldsOf(parseDocument(fresh));
  const changed = Object.keys(wanted).filter((key) => wanted[key] !== current[key]);
  if (changed.length === 0) return before;
  for (const key of changed) {
    if (wanted[key] === undefined) document.deleteIn([...OUT, key]);
    else document.setIn([...OUT, key], wanted[key]);
  }
  return document.toString({ lineWidth: 0, indentSeq: false });
}

function isOfOneOut(document: Document, name: string): boolean {
  const outs = isMap(document.contents) ? document.get('outs') : undefined;
  return isSeq(outs) && outs.items.length === 1 && isMap(outs.items[0]) && document.getIn([...OUT, 'path']) === name;
}

const fieldsOf = (document: Document): Readonly<Record<string, unknown>> =>
  Object.fromEntries(['md5', 'size', 'nfiles', 'isexec', 'hash'].map((key) => [key, document.getIn([...OUT, key])]));
