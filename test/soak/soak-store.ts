// The store as the soak itself sees it, behind the program's back: what lies in it, damage, copies, and time that passes.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** Changes when the object is written again. */
  readonly tag: string;
}

export interface SoakStore {
  /** What the program is given. */
  readonly url: string;
  /** The S3 server behind it, if there is one. */
  readonly upstream: string | undefined;
  /** What a client of that server has in its environment. */
  readonly env: Readonly<Record<string, string>>;
  list(): Promise<StoredObject[]>;
  get(key: string): Promise<Buffer>;
  put(key: string, bytes: Buffer): Promise<void>;
  remove(key: string): Promise<void>;
  /** The same objects in another place. */
  copy(name: string): Promise<SoakStore>;
  /** An empty place that is none of this one. */
  beside(name: string): Promise<SoakStore>;
  /** All of it is in another place then, and this one is empty. */
  moveAway(name: string): Promise<SoakStore>;
  /** What was set aside is here again, and nothing else. */
  putBack(other: SoakStore): Promise<void>;
  /** Removes all that is in it. */
  discard(): Promise<void>;
  /** From now on all that is there looks so much older. */
  age(ms: number): Promise<void>;
  /** When the store says that something was written. */
  shownTime(time: Date): Date;
}

const TEMPORARY = /(^|\/)\.archiver~tmp-/;

class FolderStore implements SoakStore {
  readonly upstream = undefined;
  readonly env = {};
  readonly url: string;
  constructor(readonly root: string) {
    mkdirSync(root, { recursive: true });
    this.url = `file://${root}`;
  }

  async list(): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (const path of this.paths()) {
      if (TEMPORARY.test(path)) continue; // it may be gone by now
      const { size, ino, mtimeMs } = lstatSync(join(this.root, path));
      found.push({ key: path, size, tag: `${ino} ${mtimeMs}` });
    }
    return found;
  }

  async get(key: string): Promise<Buffer> {
    return readFileSync(join(this.root, key));
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    const path = join(this.root, key);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, bytes);
  }

  async remove(key: string): Promise<void> {
    rmSync(join(this.root, key));
  }

  async copy(name: string): Promise<SoakStore> {
    const root = this.rootOf(name);
    execFileSync('cp', ['-a', this.root, root]);
    return new FolderStore(root);
  }

  async beside(name: string): Promise<SoakStore> {
    return new FolderStore(this.rootOf(name));
  }

  async moveAway(name: string): Promise<SoakStore> {
    const root = this.rootOf(name);
    renameSync(this.root, root);
    mkdirSync(this.root);
    return new FolderStore(root);
  }

  async putBack(other: SoakStore): Promise<void> {
    rmSync(this.root, { recursive: true, force: true });
    renameSync((other as FolderStore).root, this.root);
  }

  private rootOf(name: string): string {
    const root = `${this.root}-${name}`;
    rmSync(root, { recursive: true, force: true });
    return root;
  }

  async discard(): Promise<void> {
    rmSync(this.root, { recursive: true, force: true });
  }

  async age(ms: number): Promise<void> {
    for (const path of this.paths()) {
      const { atimeMs, mtimeMs } = lstatSync(join(this.root, path));
      utimesSync(join(this.root, path), (atimeMs - ms) / 1000, (mtimeMs - ms) / 1000);
    }
  }

  shownTime(time: Date): Date {
    return time;
  }

  private paths(): string[] {
    if (!existsSync(this.root)) return [];
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1))
      .sort();
  }
}

/** A store in a folder. */
export const folderSoakStore = (root: string): SoakStore => new FolderStore(root);
