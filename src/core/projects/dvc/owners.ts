// Finds what DVC tracks in a repository: the outputs of every dvc.yaml and `.dvc` file that DVC would read. It reads none that DVC or git
// ignores, and enters no folder that is an output, as DVC itself.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import {
  baseName,
  displayPath,
  fsPath,
  joinPath,
  parentOf,
  pathBelow,
  printable,
  type RawPath,
  rawFromBytes,
  rawFromText,
  textFromRaw,
  TOP,
} from '../../platform/paths/raw-path.js';
import { throwIfCancelled } from '../../store/store-error.js';
import type { GitFiles } from '../git/git-files.js';
import { declaredOuts } from './declared-outs.js';
import { type DvcFile, readDvcFile, unreadableName } from './dvc-file.js';
import type { DvcIgnore } from './dvc-ignore.js';
import { sidecarOf } from './untrackable.js';

const PIPELINE = rawFromText('dvc.yaml');
const LOCK = rawFromText('dvc.lock');
/** A hash as DVC 3 writes it, and any hash. */
const HASH_OF_DVC3 = /^[\s-]*hash: md5\s*$/m;
const HASH = /^[\s-]*md5: /m;

export interface OwnersOptions {
  /** Absolute path. */
  readonly root: RawPath;
  readonly ignore: DvcIgnore;
  readonly git: GitFiles | undefined;
  readonly signal: AbortSignal;
}

/** What tracks a path; `plain` for the `.dvc` file beside it, which may be brought up to date. */
interface Owner {
  readonly isPlain: boolean;
  readonly isFolder: boolean;
}

/** A file of DVC that does not say what it tracks. */
export interface Unsettled {
  readonly file: RawPath;
  readonly reason: string;
}

/** Paths are relative to the root. */
export class Owners {
  readonly outs = new Map<RawPath, Owner>();
  /** The forms of the hashes in dvc.lock and `.dvc` files. */
  readonly forms = new Set<'dvc2' | 'dvc3'>();
  /** `.dvc` files. */
  private readonly files = new Set<RawPath>();
  private readonly holders = new Set<RawPath>();
  /** By the folder, or the file, that may be tracked by what could not be read. */
  private readonly unsettled = new Map<RawPath, Unsettled>();

  /** Returns what tracks this very path. */
  ownerOf(path: RawPath): Owner | undefined {
    return this.outs.get(path);
  }

  /** True if the path cannot get a `.dvc` file: something else tracks it, or a part of it, or its `.dvc` file is of something else. */
  isTaken(path: RawPath): boolean {
    const owner = this.outs.get(path);
    if (owner !== undefined) return !owner.isPlain;
    return this.files.has(sidecarOf(path)) || this.holders.has(path) || this.isBelowOut(parentOf(path));
  }

  /** Returns the file that does not say whether it tracks this path. */
  unsettledBy(path: RawPath): Unsettled | undefined {
    return this.unsettled.get(path) ?? (path === TOP ? undefined : this.unsettledBy(parentOf(path)));
  }

  add(out: RawPath, owner: Owner): void {
    if (!this.outs.has(out)) this.outs.set(out, owner);
    for (let folder = parentOf(out); out !== TOP && folder !== TOP; folder = parentOf(folder)) this.holders.add(folder);
  }

  addFile(file: RawPath): void {
    this.files.add(file);
  }

  addUnsettled(place: RawPath, unsettled: Unsettled): void {
    this.unsettled.set(place, unsettled);
  }

  private isBelowOut(folder: RawPath): boolean {
    return this.outs.has(folder) || (folder !== TOP && this.isBelowOut(parentOf(folder)));
  }
}

/** Reads the repository. @throws integrity for a damaged dvc.yaml, io, usage when git cannot be asked, cancelled */
export async function readOwners(options: OwnersOptions): Promise<Owners> {
  const { ignore, git, signal } = options;
  const reader = new Reader(options);
  let level: readonly RawPath[] = [TOP];
  // By level, so that git is asked once for each.
  while (level.length > 0) {
    throwIfCancelled(signal);
    await yieldToOthers();
    const { files, folders } = reader.list(level);
    const ignored = (await git?.ignored([...files, ...folders])) ?? new Set<RawPath>();
    for (const file of files) if (!ignored.has(file) && !ignore.isIgnored(file, false)) await reader.read(file);
    level = folders.filter(
      (folder) => !ignored.has(folder) && !ignore.isIgnored(folder, true) && !reader.owners.outs.has(folder),
    );
  }
  return reader.owners;
}

class Reader {
  readonly owners = new Owners();

  constructor(private readonly options: OwnersOptions) {}

  /** Returns dvc.yaml, dvc.lock and `.dvc` files, and folders, of these folders. */
  list(level: readonly RawPath[]): { files: readonly RawPath[]; folders: readonly RawPath[] } {
    const files: RawPath[] = [];
    const folders: RawPath[] = [];
    for (const folder of level) {
      for (const item of this.itemsOf(folder)) {
        const path = joinPath(folder, rawFromBytes(item.name));
        if (item.isDirectory()) {
          if (!this.options.ignore.isIgnored(path, true)) folders.push(path); // git is not asked about repositories in it
        } else if ([PIPELINE, LOCK].includes(baseName(path)) || path.endsWith('.dvc')) files.push(path);
      }
    }
    return { files, folders };
  }

  private itemsOf(folder: RawPath) {
    const full = pathBelow(this.options.root, folder);
    try {
      return readdirSync(fsPath(full), { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
      throw fileFailure('read', displayPath(full), error);
    }
  }

  async read(file: RawPath): Promise<void> {
    const folder = parentOf(file);
    if (baseName(file) !== PIPELINE) this.noteForm(file);
    if (baseName(file) === LOCK) return;
    if (baseName(file) === PIPELINE) {
      const text = this.textOf(folder);
      if (text === undefined) throw unreadableName(displayPath(file));
      const { paths, unresolved } = await declaredOuts(text);
      for (const out of paths) this.add(file, out, { isPlain: false, isFolder: false });
      const [reason] = unresolved;
      if (reason !== undefined) this.owners.addUnsettled(folder, { file, reason });
      return;
    }
    this.owners.addFile(file);
    try {
      const { outs, ...owner } = await this.readDvcFile(file);
      for (const out of outs) this.add(file, out, owner);
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'io')) throw error;
      const text = errorText(error)
        .replace(printable(this.textOf(file) ?? ''), '')
        .replace(/^:? /, '');
      const reason = `${text}; it is left as it is`;
      this.owners.addUnsettled(file.slice(0, -'.dvc'.length), { file, reason });
    }
  }

  /** Notes which release of DVC wrote hashes of a file; one that cannot be read tells nothing here. */
  private noteForm(file: RawPath): void {
    let text: string;
    try {
      text = readFileSync(fsPath(pathBelow(this.options.root, file)), 'utf8');
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return;
    }
    if (HASH_OF_DVC3.test(text)) this.owners.forms.add('dvc3');
    else if (HASH.test(text)) this.owners.forms.add('dvc2');
  }

  private readDvcFile(file: RawPath): Promise<DvcFile> {
    const text = this.textOf(file);
    if (text === undefined) throw unreadableName(displayPath(file));
    return readDvcFile(text);
  }

  private textOf(path: RawPath): string | undefined {
    return textFromRaw(path === TOP ? this.options.root : pathBelow(this.options.root, path));
  }

  /** Adds an output that stands in `file`; one outside of the repository is nobody's business here. */
  private add(file: RawPath, out: string, owner: Owner): void {
    const { root } = this.options;
    const folder = textFromRaw(pathBelow(root, parentOf(file))) ?? '';
    const full = posix.isAbsolute(out) ? posix.normalize(out) : posix.join(folder, out);
    const top = textFromRaw(root) ?? '';
    const below = posix.relative(top, full);
    if (below !== '..' && !below.startsWith('../')) this.owners.add(rawFromText(below), owner);
  }
}
