// A folder of documents of one kind: `<id>.json` and the files that belong to it (locks, logs).
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, isArchiverError, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { printable } from '../paths/raw-path.js';
import { lockHolder } from './lock.js';
import type { LockHolder } from './lock-holder.js';
import { removeOrphanFiles } from './orphans.js';
import { replaceFile } from './replace-file.js';

export interface FolderKind<T> {
  /** The word for a document in messages: `restore job`. */
  readonly noun: string;
  /** The command that lists the documents. */
  readonly listCommand: string;
  /** Pattern of ids, without anchors or groups. Matching ids become file names. */
  readonly id: string;
  /** Extensions of the files beside the document. */
  readonly beside: readonly string[];
  /** Extension of the lock of the process that is working on it. */
  readonly workLock: string;
  /** Larger files count as damaged. */
  readonly maxBytes: number;
  /** @throws integrity, unsupported */
  readonly parse: (text: string, id: string, path: string) => T;
}

export interface FoundDocument<T> {
  readonly id: string;
  /** Undefined when it cannot be used; `problem` says why. */
  readonly document: T | undefined;
  readonly problem: ArchiverError | undefined;
  /** The process that is working on it. */
  readonly holder: LockHolder | undefined;
  /** When its file was written, in ms since 1970. */
  readonly writtenMs: number;
}

const isSameHolder = (one: LockHolder | undefined, other: LockHolder | undefined): boolean =>
  one?.pid === other?.pid &&
  one?.start === other?.start &&
  one?.host === other?.host &&
  one?.namespace === other?.namespace;

export class DocumentFolder<T> {
  constructor(
    private readonly folder: string,
    private readonly kind: FolderKind<T>,
  ) {}

  /** Returns the file of `id` with this extension. `id` must be valid. */
  path(id: string, ending = 'json'): string {
    return join(this.folder, `${id}.${ending}`);
  }

  /** Returns the ids of the documents, in order; none when there is no folder. @throws access-denied, io */
  async ids(): Promise<readonly string[]> {
    return this.idsIn(await this.names());
  }

  private idsIn(names: readonly string[]): readonly string[] {
    const pattern = new RegExp(`^(${this.kind.id})\\.json$`);
    return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort();
  }

  private async names(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw fileFailure('read', this.folder, error);
    }
  }

  /** Returns when a file in it was last written or removed, in ms since 1970; 0 when there is no folder. @throws access-denied, io */
  async changedMs(): Promise<number> {
    try {
      return (await stat(this.folder)).mtimeMs;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return 0;
      throw fileFailure('read', this.folder, error);
    }
  }

  /**
   * Returns all documents by id, including unusable ones. `host` is this computer. `before` is an earlier result; documents that have not
   * changed since are not read again, and the same objects are returned. @throws access-denied, io
   */
  async findAll(host: string, before: readonly FoundDocument<T>[] = []): Promise<readonly FoundDocument<T>[]> {
    const known = new Map(before.map((one) => [one.id, one]));
    const found: FoundDocument<T>[] = [];
    const names = await this.names();
    const there = new Set(names);
    for (const id of this.idsIn(names)) {
      const isLocked = there.has(`${id}.${this.kind.workLock}`);
      const one = await this.find(id, host, { before: known.get(id), isLocked });
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /**
   * Returns one document; undefined when it does not exist. `isLocked` is false when there certainly is no lock. @throws access-denied, io
   */
  async find(
    id: string,
    host: string,
    { before, isLocked = true }: { readonly before?: FoundDocument<T> | undefined; readonly isLocked?: boolean } = {},
  ): Promise<FoundDocument<T> | undefined> {
    try {
      const { mtimeMs: writtenMs } = await stat(this.path(id));
      const holder = isLocked ? await lockHolder(this.path(id, this.kind.workLock), host) : undefined;
      if (before?.writtenMs === writtenMs && isSameHolder(before.holder, holder)) return before;
      const used = { id, holder, writtenMs };
      try {
        return { ...used, document: await this.read(id), problem: undefined };
      } catch (error) {
        if (!isArchiverError(error) || error.code === 'not-found') throw error;
        return { ...used, document: undefined, problem: error };
      }
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || isArchiverError(error, 'not-found')) return undefined; // removed meanwhile
      throw isArchiverError(error) ? error : fileFailure('read', this.path(id), error);
    }
  }

  /** Reads a document. @throws not-found; integrity, unsupported for a file that this version cannot read; access-denied, io */
  async read(id: string): Promise<T> {
    const { kind } = this;
    if (!new RegExp(`^${kind.id}$`).test(id)) throw this.missing(id);
    const path = this.path(id);
    let text: string;
    try {
      const { size } = await stat(path);
      text = size > kind.maxBytes ? '' : await readFile(path, 'utf8');
    } catch (error) {
      throw systemCode(error) === 'ENOENT' ? this.missing(id) : fileFailure('read', path, error);
    }
    return kind.parse(text, id, path);
  }

  private missing(id: string): ArchiverError {
    const { noun, listCommand } = this.kind;
    return new ArchiverError('not-found', `no ${noun} ${printable(id)} is saved in ${printable(this.folder)}`, {
      hint: listCommand,
    });
  }

  /** Writes a new document, or one whose lock is held, into a folder that only its owner can read. @throws access-denied, no-space, io */
  async write(id: string, text: string): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await chmod(this.folder, 0o700);
      await replaceFile(this.path(id), text);
    } catch (error) {
      throw fileFailure('write', this.path(id), error);
    }
  }

  /** Removes the files of one document, itself last, so that other files always belong to one. @throws access-denied, io */
  async remove(id: string): Promise<void> {
    for (const ending of [...this.kind.beside, 'json']) {
      const path = this.path(id, ending);
      try {
        await rm(path, { force: true });
      } catch (error) {
        throw fileFailure('remove', path, error);
      }
    }
  }

  /**
   * Removes older leftovers of processes that were killed while writing or removing a document. @returns their number @throws system errors
   */
  async removeOrphans(beforeMs: number, dryRun = false): Promise<number> {
    const { id, beside } = this.kind;
    const ends = `(?:${beside.join('|')})`;
    // Files whose document is missing; temporary files, and locks that were being taken over.
    const locks = `${ends}(?:\\.turn)*`;
    const pattern = new RegExp(`^(?:(${id})\\.${locks}|(?:\\.${id}\\.json|${id}\\.${locks})\\.[0-9a-f]{12})$`);
    return await removeOrphanFiles(this.folder, beforeMs, { pattern, savedIds: await this.ids(), dryRun });
  }
}
