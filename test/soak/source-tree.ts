// A source folder that changes from step to step: files smaller and larger than a chunk, twins, holes, hard links,
// symbolic links, attributes, names that are no UTF-8. A file of it says which generation it is.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { Rng } from './prng.js';
import { pathIn, snapshot, type Tree } from './snapshot.js';
import { removeXattr, setXattr } from './xattrs.js';

const FOLDERS = ['sub', 'sub/deep', 'a b', 'x.d'];
const ODD = [
  'caf\xe9',
  'nl\nin name',
  '-rf',
  '\xe2\x98\x83 snow',
  'quote\'"',
  ' lead',
  'semi;colon',
  '*?[x]',
  'back\\slash',
];
const WEIGHTS = {
  small: 20,
  large: 6,
  sparse: 1,
  twins: 4,
  link: 4,
  symlink: 2,
  edit: 20,
  append: 6,
  remove: 14,
  rename: 6,
  mode: 5,
  touch: 4,
  attribute: 4,
  swap: 4,
  folder: 2,
  over: 4,
  copy: 3,
  many: 3,
} as const;
const MOST_FILES = 45;
const MOST_LARGE = 4;

export const markerOf = (machine: string): string => `soak-generation-${machine}`;

export class SourceTree {
  /** Counts up with every change. */
  generation = 0;
  private serial = 0;
  private tree: Tree = new Map();

  constructor(
    readonly root: string,
    private readonly machine: string,
  ) {
    mkdirSync(root, { recursive: true });
  }

  /** What it holds now. */
  get now(): Tree {
    return this.tree;
  }

  /** Fills an empty folder. */
  fill(rng: Rng): void {
    for (const folder of FOLDERS) mkdirSync(pathIn(this.root, folder), { recursive: true });
    for (let i = 0; i < 24; i++) this.addSmall(rng);
    this.addLarge(rng);
    this.addSparse(rng);
    this.addTwins(rng);
    this.addLink(rng);
    this.addSymlink(rng);
    this.mark();
  }

  /** Puts a file at a path. */
  add(path: string, content: Buffer | string): void {
    writeFileSync(this.at(path), content);
    this.mark();
  }

  /** It was changed from outside. */
  look(): void {
    this.mark();
  }

  /** Nearly everything is gone, or everything, as where its disk is not mounted. */
  shrink(isEmpty: boolean): void {
    rmSync(this.root, { recursive: true });
    mkdirSync(this.root);
    if (!isEmpty) return this.mark();
    this.generation += 1;
    this.tree = snapshot(this.root);
  }

  /** Other times for what is there, or other names, and nothing new: with both, nothing tells that it is the same. */
  move(rng: Rng): void {
    const isTouch = rng.chance(0.5);
    for (const file of this.files()) {
      if (rng.chance(0.5)) continue;
      if (isTouch) utimesSync(this.at(file), 1_600_000_000, rng.int(1_600_000_000, 1_700_000_000));
      else renameSync(this.at(file), this.at(this.freshName(rng)));
    }
    if (!isTouch) this.moveFolder(rng);
    this.mark();
  }

  /** Changes a few things. */
  mutate(rng: Rng): void {
    for (let left = rng.small(1, 8); left > 0; left--) this.change(rng);
    this.mark();
  }

  private mark(): void {
    this.generation += 1;
    writeFileSync(pathIn(this.root, markerOf(this.machine)), `${this.generation}`);
    this.tree = snapshot(this.root);
  }

  private change(rng: Rng): void {
    const files = this.files();
    const isFull = files.length > MOST_FILES;
    const kind = rng.weighted({
      ...WEIGHTS,
      small: isFull ? 0 : WEIGHTS.small,
      twins: isFull ? 0 : WEIGHTS.twins,
      large: this.large().length >= MOST_LARGE ? 0 : WEIGHTS.large,
      remove: isFull ? 3 * WEIGHTS.remove : WEIGHTS.remove,
    });
    const edits: Readonly<Record<keyof typeof WEIGHTS, (file: string) => void>> = {
      small: () => this.addSmall(rng),
      large: () => this.addLarge(rng),
      sparse: () => this.addSparse(rng),
      twins: () => this.addTwins(rng),
      link: () => this.addLink(rng),
      symlink: () => this.addSymlink(rng),
      edit: (file) => writeFileSync(this.at(file), rng.noise(rng.small(1, 40_000))),
      append: (file) => appendFileSync(this.at(file), rng.noise(rng.small(1, 5000))),
      remove: (file) => rmSync(this.at(this.large().length > MOST_LARGE ? rng.pick(this.large()) : file)),
      rename: (file) => renameSync(this.at(file), this.at(this.freshName(rng))),
      mode: (file) => chmodSync(this.at(file), rng.pick([0o600, 0o644, 0o755, 0o400, 0o640])),
      touch: (file) => utimesSync(this.at(file), 1_500_000_000, rng.int(1_000_000_000, 1_600_000_000) + 0.125),
      attribute: (file) => {
        if (rng.chance(0.3)) removeXattr(this.at(file), 'user.soak');
        else setXattr(this.at(file), 'user.soak', rng.noise(rng.int(1, 20)));
      },
      swap: (file) => this.swap(rng, file),
      folder: () => this.moveFolder(rng),
      over: (file) => this.moveOver(rng, file),
      copy: (file) => this.copyAsItIs(rng, file),
      many: () => {
        for (const file of files) if (rng.chance(0.5)) writeFileSync(this.at(file), rng.noise(rng.small(1, 2000)));
      },
    };
    edits[kind](rng.pick(files));
  }

  /** A folder and all below it get another name. */
  private moveFolder(rng: Rng): void {
    const folder = rng.pick(FOLDERS.filter((path) => isFolder(this.at(path))).concat(''));
    if (folder !== '') renameSync(this.at(folder), this.at(`moved-${++this.serial}`));
  }

  /** Another content of equal size and time comes in its place: only the file's own number and its change time say so. */
  private moveOver(rng: Rng, file: string): void {
    const { size, atimeMs, mtimeMs } = lstatSync(this.at(file));
    const fresh = this.at(`${markerOf(this.machine)}.new`);
    writeFileSync(fresh, rng.noise(size));
    utimesSync(fresh, atimeMs / 1000, mtimeMs / 1000);
    renameSync(fresh, this.at(file));
  }

  private copyAsItIs(rng: Rng, file: string): void {
    const { atimeMs, mtimeMs } = lstatSync(this.at(file));
    const copy = this.at(this.freshName(rng));
    copyFileSync(this.at(file), copy);
    utimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
  }

  private at(path: string): Buffer {
    return pathIn(this.root, path);
  }

  /** Regular files as they are on the disk, without the marker. */
  private files(): string[] {
    const all = [...filesBelow(this.root)].filter((path) => path !== markerOf(this.machine));
    return all.length > 0 ? all : [markerOf(this.machine)];
  }

  private large(): string[] {
    return this.files().filter((path) => lstatSync(this.at(path)).size > 1_000_000);
  }

  private freshName(rng: Rng): string {
    this.serial += 1;
    const folder = rng.chance(0.5) ? '' : `${rng.pick(FOLDERS)}/`;
    const parent = folder.slice(0, -1);
    const isThere = parent !== '' && isFolder(this.at(parent));
    const name = rng.chance(0.3)
      ? `${rng.pick(ODD)}-${this.serial}`
      : `file-${this.serial}.${rng.pick(['txt', 'bin'])}`;
    return isThere ? `${folder}${name}` : name;
  }

  private addSmall(rng: Rng): void {
    const length = rng.chance(0.1) ? 0 : rng.small(1, 60_000);
    const content = rng.chance(0.5) ? rng.noise(length) : Buffer.from(`line ${rng.int(1, 9)}\n`.repeat(length / 8));
    const name = this.freshName(rng);
    writeFileSync(this.at(name), content);
    if (rng.chance(0.15)) setXattr(this.at(name), 'user.soak', rng.noise(rng.int(1, 20)));
  }

  private addLarge(rng: Rng): void {
    writeFileSync(this.at(this.freshName(rng)), rng.noise(rng.int(1_100_000, 2_600_000)));
  }

  private addSparse(rng: Rng): void {
    const file = openSync(this.at(this.freshName(rng)), 'w');
    ftruncateSync(file, rng.int(200_000, 600_000));
    writeSync(file, rng.noise(3000), 0, 3000, rng.int(0, 15) * 8192);
    closeSync(file);
  }

  private addTwins(rng: Rng): void {
    const content = rng.noise(rng.int(5000, 150_000));
    for (let i = 0; i < 2; i++) writeFileSync(this.at(this.freshName(rng)), content);
  }

  private addLink(rng: Rng): void {
    linkSync(this.at(rng.pick(this.files())), this.at(this.freshName(rng)));
  }

  private addSymlink(rng: Rng): void {
    symlinkSync(rng.pick(['file-1.txt', '../outside', 'sub/deep', 'nowhere']), this.at(this.freshName(rng)));
  }

  /** A file gives way to a folder, or a folder to a file. */
  private swap(rng: Rng, file: string): void {
    if (rng.chance(0.5)) {
      rmSync(this.at(file));
      mkdirSync(this.at(file));
      return writeFileSync(this.at(`${file}/inner`), rng.noise(300));
    }
    const folder = rng.pick(FOLDERS);
    if (folder.includes('/') && !isFolder(this.at('sub'))) return undefined;
    const isThere = isFolder(this.at(folder));
    rmSync(this.at(folder), { recursive: true, force: true });
    if (isThere && rng.chance(0.5)) return writeFileSync(this.at(folder), rng.noise(300));
    mkdirSync(this.at(folder));
    return undefined;
  }
}

function isFolder(path: Buffer): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

function* filesBelow(root: string, below = ''): Iterable<string> {
  for (const name of readdirSync(pathIn(root, below), { encoding: 'latin1' }).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const stat = lstatSync(pathIn(root, path));
    if (stat.isDirectory()) yield* filesBelow(root, path);
    else if (stat.isFile()) yield path;
  }
}
