// A file that appears under its name when it is whole. Until then it has a temporary name beside it.
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ArchiverError, systemCode, undefinedOn } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import { syncFolder } from './sync-folder.js';

/** File systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK']);

export class NewFile {
  private constructor(
    private readonly path: string,
    private readonly temporary: string,
    private readonly handle: FileHandle,
    private readonly replaces: boolean,
  ) {}

  /** Begins the file. @throws conflict where it is there already, unless it may be replaced; system errors */
  static async begin(path: string, replaces: boolean): Promise<NewFile> {
    if (!replaces && (await lstat(path).catch(undefinedOn('ENOENT'))) !== undefined) throw isThere(path);
    const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
    return new NewFile(path, temporary, await open(temporary, 'wx', 0o666), replaces);
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) at += (await this.handle.write(bytes, at)).bytesWritten;
  }

  /** Gives the file its name. @throws conflict where something else has it by now; system errors */
  async finish(): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
    if (this.replaces) await rename(this.temporary, this.path);
    else await this.linkOrRename();
    await syncFolder(dirname(this.path));
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined); // it may be closed already
    await rm(this.temporary, { force: true });
  }

  private async linkOrRename(): Promise<void> {
    try {
      await link(this.temporary, this.path);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') throw isThere(this.path);
      if (!NO_LINKS.has(systemCode(error) ?? '')) throw error;
      await rename(this.temporary, this.path);
      return;
    }
    await rm(this.temporary);
  }
}

const isThere = (path: string): ArchiverError =>
  new ArchiverError('conflict', `${printable(path)} is there already`, {
    hint: 'choose another name; --overwrite always replaces it',
  });
