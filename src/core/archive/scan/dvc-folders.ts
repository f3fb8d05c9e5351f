// What lies in the `.dvc` folders of a source: of a cache, contents that are stored as files of the workspace anyway are left out, and
// temporary files. All other contents of a cache stay: an older state of a file lies nowhere else.
import { type EntryTableBuilder, KIND } from '../../format/columns/entry-table.js';
import type { Stat } from '../../platform/libc/stat.js';
import { baseName, pathBelow, rawFromText, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { isContentPath } from './dvc-contents.js';

const SETTINGS = /(?:^|\/)\.dvc$/;
const CACHE = /(?:^|\/)\.dvc\/cache\//;
const TEMPORARY = rawFromText('tmp');
const LOCAL_CONFIG = rawFromText('config.local');

/** Numbers of files, and their bytes. */
export interface DvcAmount {
  readonly files: number;
  readonly bytes: number;
}

/** What a scan has found of DVC. */
export interface DvcFindings {
  /** Links to contents of a DVC cache that are archived as files. */
  readonly linkedFiles: DvcAmount;
  /** Contents of caches in the source that are left out, because files of the workspace hold them. */
  readonly cacheLeftOut: DvcAmount;
  /** Contents of caches in the source that are archived. */
  readonly cacheKept: DvcAmount;
  /** Folders of temporary files that are left out. */
  readonly temporary: readonly RawPath[];
  /** Settings of one computer, which may hold secrets of remotes. */
  readonly localConfigs: readonly RawPath[];
  /** Links in repositories that lead out of the source, and are archived as links. */
  readonly outsideLinks: readonly RawPath[];
}

interface CacheRow {
  readonly index: number;
  readonly inode: string;
  readonly bytes: number;
}

/** A folder `.dvc`, or one in the cache there; undefined for all others. */
export type DvcPlace = 'settings' | 'cache' | undefined;

export const inodeKey = ({ device, inode }: Pick<Stat, 'device' | 'inode'>): string => `${device}:${inode}`;

export class DvcFolders {
  private readonly linkedFiles = { files: 0, bytes: 0 };
  private readonly linked = new Set<string>();
  private readonly contents: CacheRow[] = [];
  private readonly temporary: RawPath[] = [];
  private readonly localConfigs: RawPath[] = [];
  private readonly outsideLinks: RawPath[] = [];

  /** @param isWhole True to archive caches and temporary files as they are */
  constructor(private readonly isWhole: boolean) {}

  /** Returns what a folder of the source is to DVC. */
  placeOf(folder: RawPath): DvcPlace {
    if (SETTINGS.test(folder)) return 'settings';
    return CACHE.test(pathBelow(folder, TOP)) ? 'cache' : undefined;
  }

  /** True for a folder of temporary files, which is left out. */
  isTemporary(place: DvcPlace, path: RawPath): boolean {
    return !this.isWhole && place === 'settings' && baseName(path) === TEMPORARY;
  }

  addTemporary(path: RawPath): void {
    this.temporary.push(path);
  }

  /** Called before a file gets its row: of a content in a cache, further names elsewhere count as files of their own. */
  begin(place: DvcPlace, path: RawPath, stat: Stat): void {
    if (!this.isWhole && place === 'cache' && isContentPath(path)) stat.nlink = 1;
  }

  /** Adds a file that has got its row. */
  add(place: DvcPlace, { path, index, stat }: { path: RawPath; index: number; stat: Stat }): void {
    if (place === 'settings' && baseName(path) === LOCAL_CONFIG) this.localConfigs.push(path);
    if (place === 'cache' && isContentPath(path))
      this.contents.push({ index, inode: inodeKey(stat), bytes: stat.size });
  }

  /** Adds a link that is archived as the content that it stands for. */
  addLinked(stat: Stat): void {
    this.linkedFiles.files++;
    this.linkedFiles.bytes += stat.size;
    this.linked.add(inodeKey(stat));
  }

  /** Adds a link that leads out of the source. */
  addOutside(path: RawPath): void {
    this.outsideLinks.push(path);
  }

  /** Drops contents that files outside of the caches hold; `onDrop` is called for each. `isStored`: by the key of an inode. */
  finish(
    table: EntryTableBuilder,
    isStored: (inode: string) => boolean,
    onDrop: (index: number, bytes: number) => void,
  ): DvcFindings {
    const [left, kept] = [
      { files: 0, bytes: 0 },
      { files: 0, bytes: 0 },
    ];
    for (const { index, inode, bytes } of this.contents) {
      const isLeft = !this.isWhole && (this.linked.has(inode) || isStored(inode));
      const sum = isLeft ? left : kept;
      sum.files++;
      sum.bytes += bytes;
      if (!isLeft) continue;
      table.columns.kind[index] = KIND.dropped;
      onDrop(index, bytes);
    }
    const { linkedFiles, temporary, localConfigs, outsideLinks } = this;
    return { linkedFiles, cacheLeftOut: left, cacheKept: kept, temporary, localConfigs, outsideLinks };
  }
}
