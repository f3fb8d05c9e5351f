// Random folders and random edits of them: adds, deletes, renames, changes of type, of mode alone, of content behind the
// same name, hard links made and broken. Reproducible by seed.
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isRoot, libcOrFail, setTime } from './trees.js';
import { raw } from '../../support/raw.js';

/** A generator of numbers in [0, 1): mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Names whose byte order is not that of their trees: `d`, `d-x`, `d/…`, `d.`.
const NAMES = ['d', 'd-x', 'd.', 'd0', 'a', 'b', 'caf\u00e9', 'long name', '-rf', 'Z', 'zz', '~'];

export class RandomTree {
  private clock = 1_700_000_000;

  constructor(
    readonly root: string,
    private readonly random: () => number,
    /** Bytes of the largest files: more than a chunk are cut. */
    private readonly largest: number,
  ) {}

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  /** Everything below the root that the filter keeps, through no symbolic link. */
  private paths(filter: (path: string) => boolean = () => true, folder = ''): string[] {
    return readdirSync(join(this.root, folder), { withFileTypes: true }).flatMap((found) => {
      const path = join(folder, found.name);
      return [...(filter(path) ? [path] : []), ...(found.isDirectory() ? this.paths(filter, path) : [])];
    });
  }

  private kind(path: string): 'file' | 'folder' | 'link' {
    const stat = lstatSync(join(this.root, path));
    return stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'file';
  }

  private folders(): string[] {
    return ['', ...this.paths((path) => this.kind(path) === 'folder')];
  }

  private files(): string[] {
    return this.paths((path) => this.kind(path) === 'file');
  }

  private freePath(): string | undefined {
    const path = join(this.pick(this.folders()), this.pick(NAMES));
    return existsSync(join(this.root, path)) || this.isLink(path) ? undefined : path;
  }

  private isLink(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  private content(): Buffer {
    const size = this.random() < 0.1 ? this.random() * this.largest : this.random() * 3000;
    const bytes = Buffer.alloc(Math.floor(size));
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.random() * 256;
    return bytes;
  }

  /** Every change gets a time of its own, as it would in life. */
  private stamp(path: string): void {
    this.clock += 1 + Math.floor(this.random() * 1000);
    setTime(Buffer.from(join(this.root, path)).toString('latin1'), this.clock, Math.floor(this.random() * 1e9));
  }

  private readonly edits: readonly (() => void)[] = [
    () => this.addFile(),
    () => this.addFile(),
    () => this.addFile(),
    () => this.addFolder(),
    () => this.addFolder(),
    () => this.addLink(),
    () => this.remove(),
    () => this.rewrite(),
    () => this.rewrite(),
    () => this.rename(),
    () => this.changeType(),
    () => this.changeMode(),
    () => this.changeOwner(),
    () => this.changeAttributes(),
    () => this.hardLink(),
    () => this.breakLink(),
    () => this.touch(),
  ];

  /** Makes `count` random edits; some find nothing to do. */
  edit(count: number): void {
    for (let i = 0; i < count; i++) this.pick(this.edits)();
  }

  private addFile(): void {
    const path = this.freePath();
    if (path === undefined) return;
    writeFileSync(join(this.root, path), this.content());
    this.stamp(path);
  }

  private addFolder(): void {
    const path = this.freePath();
    if (path === undefined) return;
    mkdirSync(join(this.root, path));
    this.stamp(path);
  }

  private addLink(): void {
    const path = this.freePath();
    if (path === undefined) return;
    symlinkSync(this.pick([...NAMES, '../nowhere', '/etc/hostname']), join(this.root, path));
    this.stamp(path);
  }

  private remove(): void {
    const paths = this.random() < 0.2 ? this.paths() : this.files();
    if (paths.length > 0) rmSync(join(this.root, this.pick(paths)), { recursive: true });
  }

  private rewrite(): void {
    const files = this.files();
    if (files.length === 0) return;
    const path = this.pick(files);
    writeFileSync(join(this.root, path), this.content());
    this.stamp(path);
  }

  private rename(): void {
    const from = this.paths();
    const to = this.freePath();
    if (from.length === 0 || to === undefined) return;
    const path = this.pick(from);
    if (to === path || to.startsWith(`${path}/`)) return;
    renameSync(join(this.root, path), join(this.root, to));
  }

  private changeType(): void {
    const paths = this.random() < 0.3 ? this.paths() : this.files();
    if (paths.length === 0) return;
    const path = this.pick(paths);
    const kind = this.kind(path);
    rmSync(join(this.root, path), { recursive: true });
    const others = (['file', 'folder', 'link'] as const).filter((other) => other !== kind);
    switch (this.pick(others)) {
      case 'file':
        writeFileSync(join(this.root, path), this.content());
        break;
      case 'folder':
        mkdirSync(join(this.root, path));
        if (this.random() < 0.5) writeFileSync(join(this.root, path, 'd'), this.content());
        break;
      case 'link':
        symlinkSync('elsewhere', join(this.root, path));
    }
    this.stamp(path);
  }

  private changeMode(): void {
    const paths = this.paths((path) => this.kind(path) !== 'link');
    if (paths.length > 0) chmodSync(join(this.root, this.pick(paths)), this.pick([0o700, 0o755, 0o750, 0o711]));
  }

  private changeOwner(): void {
    const files = this.files();
    if (isRoot && files.length > 0) chownSync(join(this.root, this.pick(files)), this.pick([0, 1000]), 0);
  }

  private changeAttributes(): void {
    const files = this.files();
    if (files.length === 0) return;
    const path = Buffer.from(join(this.root, this.pick(files))).toString('latin1');
    libcOrFail().lsetxattr(raw(path), raw('user.note'), Buffer.from(String(this.random())));
  }

  private hardLink(): void {
    const files = this.files();
    const path = this.freePath();
    if (files.length > 0 && path !== undefined) linkSync(join(this.root, this.pick(files)), join(this.root, path));
  }

  /** The same bytes, mode and time as before, but a file of its own. */
  private breakLink(): void {
    const files = this.files().filter((path) => lstatSync(join(this.root, path)).nlink > 1);
    if (files.length === 0) return;
    const path = join(this.root, this.pick(files));
    const { mode, mtimeNs } = lstatSync(path, { bigint: true });
    const bytes = readFileSync(path);
    rmSync(path);
    writeFileSync(path, bytes);
    chmodSync(path, Number(mode & 0o7777n));
    setTime(Buffer.from(path).toString('latin1'), Number(mtimeNs / 1_000_000_000n), Number(mtimeNs % 1_000_000_000n));
  }

  private touch(): void {
    const paths = this.paths();
    if (paths.length > 0) this.stamp(this.pick(paths));
  }

  /** Folders get round times after the edits of their content, so that trees can be compared by time as well. */
  settle(): void {
    const paths = this.paths((path) => this.kind(path) === 'folder').sort((a, b) => b.length - a.length);
    const parents = new Set(paths.map((path) => dirname(path)));
    for (const path of paths) if (parents.has(path) && this.random() < 0.2) this.stamp(path);
  }
}
