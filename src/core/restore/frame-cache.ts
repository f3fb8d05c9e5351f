// Stored frames on this computer's disk, by their SHA-256, so that restoring another file of the same chunk fetches nothing.
// A frame is written under a temporary name and renamed; it is used only when its digest matches, so a damaged one is a
// miss. Using a frame touches it, and the least recently used are removed first. Several processes share the folder: the
// size is measured, not remembered. Failures here never fail a restore.
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachLimit } from '../platform/limits/for-each-limit.js';
import { waitingBytes } from '../platform/limits/memory-plan.js';
import { writeFully } from '../platform/state/write-fully.js';

const DIGEST = /^[0-9a-f]{64}$/;
/** A temporary file this old was left by a process that died. */
const STALE_MS = 3_600_000;
const PIECES_OF_LIMIT = 16;
/** So many processes may each keep this part of the limit in the room that is made. */
const MANY = PIECES_OF_LIMIT ** 2;
const STATS_AT_ONCE = 32;

interface Held {
  readonly path: string;
  readonly size: number;
  readonly usedAtMs: number;
}

export interface FrameCacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Most bytes that wait to be written. What comes when a slow disk is so far behind is not kept: it would fill the memory. */
  readonly waitingBytes?: number;
  readonly now?: () => number;
}

export class FrameCache {
  /** Frames that are there, by folder. One is listed when a frame of it is looked for: a full cache has thousands, a restore may need as many. */
  private readonly known = new Map<string, Set<string>>();
  private readonly now: () => number;
  private writtenSinceTrim = 0;
  private isBroken = false;
  private pending: Promise<void> = Promise.resolve();
  private waitingBytes = 0;
  private temporaries = 0;

  constructor(private readonly options: FrameCacheOptions) {
    this.now = options.now ?? Date.now;
  }

  private path(sha256: string): string {
    return join(this.options.folder, sha256.slice(0, 2), sha256);
  }

  /** The known frames of a frame's folder; one that cannot be read is empty. */
  private around(sha256: string): Set<string> {
    const name = sha256.slice(0, 2);
    const known = this.known.get(name) ?? new Set(digestsIn(join(this.options.folder, name)));
    this.known.set(name, known);
    return known;
  }

  has(sha256: string): boolean {
    return this.around(sha256).has(sha256);
  }

  /** Reads the frame into `target`, which has its size; false when it is missing or damaged. */
  async read(sha256: string, target: Uint8Array): Promise<boolean> {
    const path = this.path(sha256);
    try {
      await readWhole(path, target);
      if (hash('sha256', target, 'hex') !== sha256) throw new Error('another content');
      const now = this.now() / 1000;
      await utimes(path, now, now).catch(() => undefined);
      return true;
    } catch {
      this.around(sha256).delete(sha256);
      await unlink(path).catch(() => undefined);
      return false;
    }
  }

  /** Removes the frame. */
  async drop(sha256: string): Promise<void> {
    if (!this.has(sha256)) return;
    await this.pending;
    this.around(sha256).delete(sha256);
    await unlink(this.path(sha256)).catch(() => undefined);
  }

  /**
   * Keeps the frame, in the background: `bytes` may not change until the promise is settled, which is never rejected. Undefined where it is
   * there, or is not kept. `settled` waits for all.
   */
  put(sha256: string, bytes: Uint8Array): Promise<void> | undefined {
    const { byteLength } = bytes;
    const { limitBytes, waitingBytes: most = waitingBytes(undefined) } = this.options;
    const isMuch = this.waitingBytes > 0 && this.waitingBytes + byteLength > most;
    if (this.isBroken || isMuch || this.has(sha256) || byteLength > limitBytes) return undefined;
    this.around(sha256).add(sha256);
    this.waitingBytes += byteLength;
    this.pending = this.pending.then(async () => {
      await this.store(sha256, bytes);
      this.waitingBytes -= byteLength;
    });
    return this.pending;
  }

  private async store(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.isBroken) return;
    const path = this.path(sha256);
    const temporary = `${path}.${process.pid}-${this.temporaries++}.tmp`;
    try {
      await mkdir(join(this.options.folder, sha256.slice(0, 2)), { recursive: true, mode: 0o700 });
      await this.makeRoom(bytes.byteLength);
      await writeNew(temporary, bytes);
      await rename(temporary, path);
    } catch {
      this.isBroken = true; // full or read-only: this run continues without it
      this.around(sha256).delete(sha256);
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  private async makeRoom(bytes: number): Promise<void> {
    const { limitBytes } = this.options;
    const isFirst = this.writtenSinceTrim === 0;
    this.writtenSinceTrim += bytes;
    if (!isFirst && this.writtenSinceTrim < limitBytes / PIECES_OF_LIMIT) return;
    // Room for what is added until the next look. What others add meanwhile is found then, here or there.
    await this.trim(limitBytes - Math.max(bytes, limitBytes / PIECES_OF_LIMIT));
    this.writtenSinceTrim = bytes;
  }

  /** Removes the least recently used frames until at most `target` bytes are left. */
  private async trim(target: number): Promise<void> {
    const held = (await this.held()).toSorted((a, b) => a.usedAtMs - b.usedAtMs);
    let total = held.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of held) {
      if (total <= target) return;
      await unlink(path).catch(() => undefined);
      this.known.get(path.slice(-64, -62))?.delete(path.slice(-64));
      total -= size;
    }
  }

  private async held(): Promise<Held[]> {
    const held: Held[] = [];
    const names = await readdir(this.options.folder, { recursive: true }).catch(() => []);
    await forEachLimit(names, STATS_AT_ONCE, async (name) => {
      const path = join(this.options.folder, name);
      const isFrame = DIGEST.test(name.slice(-64));
      if (!isFrame && !name.endsWith('.tmp')) return;
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return;
      if (isFrame) held.push({ path, size: found.size, usedAtMs: found.mtimeMs });
      else if (this.now() - found.mtimeMs > STALE_MS) await unlink(path).catch(() => undefined);
    });
    return held;
  }

  /** Waits for frames that are being kept. After many, others may have kept as many meanwhile: brings the cache below its limit. */
  async settled(): Promise<void> {
    const { limitBytes } = this.options;
    await this.pending;
    if (this.writtenSinceTrim >= limitBytes / MANY) await this.trim(limitBytes);
  }
}

/** @throws for a file of another size; system errors */
async function readWhole(path: string, target: Uint8Array): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const { bytesRead } = await handle.read(target, 0, target.byteLength, 0);
    if (size !== target.byteLength || bytesRead !== size) throw new Error('another size');
  } finally {
    await handle.close();
  }
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await writeFully(handle, bytes);
  } finally {
    await handle.close();
  }
}

function digestsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => DIGEST.test(name));
  } catch {
    return [];
  }
}
