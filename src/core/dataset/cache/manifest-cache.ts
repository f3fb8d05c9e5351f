// Keeps manifests on this computer's disk, by the SHA-256 of the stored bytes, so that a sync that finds nothing new fetches next to
// nothing. Only a hint: a file that does not match its digest is a miss and is removed. Encrypted manifests are kept decrypted. The least
// recently used are removed first. Several processes share the folder. With a full disk or a read-only folder the cache does nothing, and
// says so once.
import { mkdir, readdir, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonText } from '../../platform/failures/errno.js';
import { systemCode, undefinedOn } from '../../platform/failures/errors.js';
import type { OpenedBytes } from '../../format/encryption/unseal-bytes.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { decodeCached, encodeCached } from './cached-file.js';

export interface ManifestCache {
  /** The manifest whose stored bytes have this digest; undefined when it is not in the cache. Never throws. */
  get(sha256: string): Promise<OpenedBytes | undefined>;
  /** Keeps a manifest under the digest of its stored bytes. Never throws. */
  put(sha256: string, manifest: OpenedBytes): Promise<void>;
}

export interface ManifestCacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Called once, with a sentence that says why manifests cannot be kept or read. */
  readonly onTrouble?: (text: string) => void;
  readonly now?: () => number;
}

const DIGEST = /^[0-9a-f]{64}$/;
const KEPT = /^[0-9a-f]{64}\.json\.gz$/;
/** Name of a temporary file of `replaceFile`. */
const TEMPORARY = /^\.[0-9a-f]{64}\.json\.gz\.[0-9a-f]{12}$/;
/** A temporary file older than this was left by a process that died. */
const STALE_MS = 3_600_000;

/** Opens a cache in `folder`, which is created when something is kept. */
export const openManifestCache = (options: ManifestCacheOptions): ManifestCache => new FolderCache(options);

class FolderCache implements ManifestCache {
  private hasTrouble = false;
  /** Bytes in the folder, as far as this process knows: others may add to it. */
  private heldBytes: number | undefined;
  private readonly now: () => number;

  constructor(private readonly options: ManifestCacheOptions) {
    this.now = options.now ?? Date.now;
  }

  private path(sha256: string): string {
    return join(this.options.folder, `${sha256}.json.gz`);
  }

  private trouble(what: string, error: unknown): void {
    if (this.hasTrouble) return;
    this.hasTrouble = true;
    const { folder, onTrouble } = this.options;
    onTrouble?.(`manifests cannot be ${what} ${folder}: ${reasonText(error)}; the next run has to fetch them again`);
  }

  async get(sha256: string): Promise<OpenedBytes | undefined> {
    if (!DIGEST.test(sha256)) return undefined;
    const path = this.path(sha256);
    let file: Buffer;
    try {
      file = await readFile(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') this.trouble('read from', error);
      return undefined;
    }
    const manifest = decodeCached(sha256, file);
    if (manifest === undefined) {
      await unlink(path).catch((error: unknown) => this.trouble('removed from', error));
      return undefined;
    }
    const now = this.now() / 1000;
    await utimes(path, now, now).catch((error: unknown) => this.trouble('kept in', error));
    return manifest;
  }

  async put(sha256: string, manifest: OpenedBytes): Promise<void> {
    const { folder, limitBytes } = this.options;
    const bytes = encodeCached(sha256, manifest);
    if (!DIGEST.test(sha256) || bytes.byteLength > limitBytes) return;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // A listing for each of thousands of segments would take longer than writing them.
      if (this.heldBytes === undefined || this.heldBytes + bytes.byteLength > limitBytes)
        this.heldBytes = await this.makeRoom(sha256, limitBytes - bytes.byteLength);
      await replaceFile(this.path(sha256), bytes);
      this.heldBytes += bytes.byteLength;
    } catch (error) {
      this.trouble('kept in', error);
    }
  }

  /** Removes the least recently used until `target` bytes are left, without counting the one that is about to be kept. Returns what is left. */
  private async makeRoom(sha256: string, target: number): Promise<number> {
    const held = (await this.held()).filter(({ path }) => path !== this.path(sha256));
    let total = held.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of held.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (total <= target) break;
      await removeIfThere(path);
      total -= size;
    }
    return total;
  }

  private async held(): Promise<{ path: string; size: number; usedAtMs: number }[]> {
    const held = [];
    for (const name of await readdir(this.options.folder)) {
      if (!KEPT.test(name) && !TEMPORARY.test(name)) continue;
      const path = join(this.options.folder, name);
      const found = await statIfThere(path);
      if (found === undefined) continue;
      if (KEPT.test(name)) held.push({ path, size: found.size, usedAtMs: found.mtimeMs });
      else if (this.now() - found.mtimeMs > STALE_MS) await removeIfThere(path);
    }
    return held;
  }
}

const orMissing = undefinedOn('ENOENT'); // another process was faster
const statIfThere = (path: string): Promise<{ size: number; mtimeMs: number } | undefined> =>
  stat(path).catch(orMissing);
const removeIfThere = (path: string): Promise<void> => unlink(path).catch(orMissing);
