// Caches open folders by path; the least recently used is closed first, and those in use stay open.
import type { RawPath } from '../../platform/paths/raw-path.js';

export interface Cached {
  pins: number;
}

export class FolderCache<F extends Cached> {
  private readonly folders = new Map<RawPath, F>();
  private lastPath: RawPath | undefined;
  private lastFolder: F | undefined;

  constructor(
    private readonly capacity: number,
    private readonly close: (folder: F) => void,
  ) {}

  get(path: RawPath): F | undefined {
    if (path === this.lastPath) return this.lastFolder;
    const folder = this.folders.get(path);
    if (folder === undefined) return undefined;
    this.folders.delete(path); // a Map keeps the order of insertion, so it is now the newest
    this.folders.set(path, folder);
    this.lastPath = path;
    this.lastFolder = folder;
    return folder;
  }

  add(path: RawPath, folder: F): F {
    this.evict();
    this.folders.set(path, folder);
    this.lastPath = path;
    this.lastFolder = folder;
    return folder;
  }

  private evict(): void {
    if (this.folders.size < this.capacity) return;
    for (const [path, folder] of this.folders) {
      if (folder.pins > 0) continue;
      this.folders.delete(path);
      if (path === this.lastPath) this.lastPath = this.lastFolder = undefined;
      this.close(folder);
      return;
    }
  }

  clear(): void {
    for (const folder of this.folders.values()) this.close(folder);
    this.folders.clear();
    this.lastPath = this.lastFolder = undefined;
  }
}
