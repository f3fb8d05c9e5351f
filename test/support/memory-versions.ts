// What the in-process S3 server remembers of a bucket that keeps versions. The bucket's map stays what its keys show now.
import type { MemoryObject } from './memory-s3.js';

export interface VersionLine {
  readonly key: string;
  readonly versionId: string;
  /** Undefined: a delete marker. */
  readonly object: MemoryObject | undefined;
  readonly isLatest: boolean;
}

interface Line {
  readonly versionId: string;
  readonly object: MemoryObject | undefined;
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export class BucketVersions {
  /** By key, newest first. */
  readonly #lines = new Map<string, Line[]>();
  #isKept = false;
  #made = 0;

  constructor(private readonly bucket: Map<string, MemoryObject>) {}

  get isKept(): boolean {
    return this.#isKept;
  }

  /** From now on nothing is overwritten. */
  keep(): void {
    this.#isKept = true;
    for (const [key, object] of this.bucket) this.#lines.set(key, [{ versionId: 'null', object }]);
  }

  /** Gives the id of the version, where versions are kept. */
  put(key: string, object: MemoryObject): string | undefined {
    this.bucket.set(key, object);
    return this.#isKept ? this.#add(key, object) : undefined;
  }

  delete(key: string): void {
    this.bucket.delete(key);
    if (this.#isKept) this.#add(key, undefined);
  }

  deleteVersion(key: string, versionId: string): void {
    if (!this.#isKept) {
      if (versionId === 'null') this.bucket.delete(key);
      return;
    }
    const lines = (this.#lines.get(key) ?? []).filter((line) => line.versionId !== versionId);
    this.#lines.set(key, lines);
    const [top] = lines;
    if (top?.object === undefined) this.bucket.delete(key);
    else this.bucket.set(key, top.object);
  }

  #add(key: string, object: MemoryObject | undefined): string {
    this.#made += 1;
    const versionId = `v${this.#made}`;
    this.#lines.set(key, [{ versionId, object }, ...(this.#lines.get(key) ?? [])]);
    return versionId;
  }

  /** Every version below `prefix`: keys in byte order, each newest first. */
  list(prefix: string): readonly VersionLine[] {
    const lines: ReadonlyMap<string, readonly Line[]> = this.#isKept
      ? this.#lines
      : new Map([...this.bucket].map(([key, object]) => [key, [{ versionId: 'null', object }]]));
    return [...lines]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => byBytes(a, b))
      .flatMap(([key, versions]) => versions.map((line, index) => ({ key, ...line, isLatest: index === 0 })));
  }
}
