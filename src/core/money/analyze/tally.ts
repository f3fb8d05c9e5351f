// Counts and bytes of objects by class, age and size, in a table that does not grow with the objects. What is billed can be
// computed from it as exactly as from the objects: sizes are kept apart at every power of two, and the sizes where a class
// begins to bill otherwise are powers of two; within a cell all rules are linear.
import type { StoredObject } from '../../cost/stored-object.js';

const DAY_MS = 86_400_000;
/** Older than this is all the same: no class has a longer minimum. */
export const OLDEST_DAYS = 365;
const AGES = OLDEST_DAYS + 1;
/** A server can name any class; after so many all others are one, of which no price is known. */
const MOST_CLASSES = 64;
const OTHER_CLASS = 'OTHER';

export interface Counted {
  readonly objects: number;
  readonly bytes: number;
}

export interface Cell extends Counted {
  readonly storageClass: string;
  /** Whole days, at most 365. */
  readonly ageDays: number;
  /** The least size of the cell, in bytes: 0 or a power of two. The next cell begins at its double. */
  readonly fromBytes: number;
}

interface Sum {
  objects: number;
  bytes: number;
}

/** Binary digits of a size. */
const bitsOf = (size: number): number =>
  size < 2 ** 32 ? 32 - Math.clz32(size) : 64 - Math.clz32(Math.floor(size / 2 ** 32));

export interface TalliedObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly lastModified: Date;
}

export class Tally {
  private readonly classes = new Map<string, Map<number, Sum>>();

  /** @param now by which ages are counted, in ms since 1970 */
  constructor(private readonly now: number) {}

  add({ sizeBytes, storageClass, lastModified }: TalliedObject): void {
    const days = Math.floor((this.now - lastModified.getTime()) / DAY_MS);
    const ageDays = Math.min(OLDEST_DAYS, Math.max(0, days));
    this.addTo(storageClass, bitsOf(sizeBytes) * AGES + ageDays, { objects: 1, bytes: sizeBytes });
  }

  /** What was counted elsewhere by the same rules. */
  addCell({ storageClass, ageDays, fromBytes, objects, bytes }: Cell): void {
    this.addTo(storageClass, bitsOf(fromBytes) * AGES + ageDays, { objects, bytes });
  }

  /** Everything of another one, so many times. */
  merge(other: Tally, times = 1): void {
    for (const [storageClass, cells] of other.classes)
      for (const [place, { objects, bytes }] of cells)
        this.addTo(storageClass, place, { objects: objects * times, bytes: bytes * times });
  }

  cells(): readonly Cell[] {
    return Array.from(this.classes, ([storageClass, cells]) =>
      Array.from(cells, ([place, sum]) => {
        const bits = Math.floor(place / AGES);
        return { ...sum, storageClass, ageDays: place % AGES, fromBytes: bits === 0 ? 0 : 2 ** (bits - 1) };
      }),
    ).flat();
  }

  private addTo(named: string, place: number, { objects, bytes }: Counted): void {
    const storageClass = this.classes.has(named) || this.classes.size < MOST_CLASSES ? named : OTHER_CLASS;
    let cells = this.classes.get(storageClass);
    if (cells === undefined) this.classes.set(storageClass, (cells = new Map<number, Sum>()));
    const sum = cells.get(place);
    if (sum === undefined) cells.set(place, { objects, bytes });
    else {
      sum.objects += objects;
      sum.bytes += bytes;
    }
  }
}

/** Everything in these cells together. */
export const countedIn = (cells: readonly Counted[]): Counted => ({
  objects: cells.reduce((sum, { objects }) => sum + objects, 0),
  bytes: cells.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** The objects of a cell as the price model takes them: alike, which within a cell costs the same. */
export const objectsOf = (
  { objects, bytes, storageClass }: Pick<Cell, 'objects' | 'bytes' | 'storageClass'>,
  into = storageClass,
): StoredObject => ({ sizeBytes: objects === 0 ? 0 : bytes / objects, storageClass: into, count: objects });
