// Counts objects and bytes by class, age and size, in a table that does not grow with the number of objects. Bills can be computed from it
// as exactly as from the objects: sizes are split at every power of two, the sizes where the billing of a class changes are powers of two,
// and within a cell all rules are linear.
import type { StoredObject } from '../../cost/stored-object.js';

const DAY_MS = 86_400_000;
/** Ages above this are not distinguished: no class has a longer minimum. */
export const OLDEST_DAYS = 365;
const AGES = OLDEST_DAYS + 1;
/** Limit of classes, since a server can name any class; further ones are counted together under a name without a price. */
const MOST_CLASSES = 64;
const OTHER_CLASS = 'OTHER';

export interface Counted {
  readonly objects: number;
  readonly bytes: number;
}

export interface Cell extends Counted {
  readonly storageClass: string;
  /** Age in whole days, at most 365. */
  readonly ageDays: number;
  /** Least size of the cell in bytes: 0 or a power of two. The next cell begins at twice that. */
  readonly fromBytes: number;
}

interface Sum {
  objects: number;
  bytes: number;
}

/** Returns the number of bits of a size. */
const bitsOf = (size: number): number =>
  size < 2 ** 32 ? 32 - Math.clz32(size) : 64 - Math.clz32(Math.floor(size / 2 ** 32));

export interface TalliedObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly lastModified: Date;
}

export class Tally {
  private readonly classes = new Map<string, Map<number, Sum>>();

  /** @param now the time that ages are counted from, in ms since 1970 */
  constructor(private readonly now: number) {}

  add({ sizeBytes, storageClass, lastModified }: TalliedObject): void {
    const days = Math.floor((this.now - lastModified.getTime()) / DAY_MS);
    const ageDays = Math.min(OLDEST_DAYS, Math.max(0, days));
    this.addTo(storageClass, bitsOf(sizeBytes) * AGES + ageDays, { objects: 1, bytes: sizeBytes });
  }

  /** Adds a cell that was counted elsewhere by the same rules. */
  addCell({ storageClass, ageDays, fromBytes, objects, bytes }: Cell): void {
    this.addTo(storageClass, bitsOf(fromBytes) * AGES + ageDays, { objects, bytes });
  }

  /** Adds everything of another tally, multiplied by `times`. */
  merge(other: Tally, times = 1): void {
    for (const [storageClass, cells] of other.classes)
      for (const [index, { objects, bytes }] of cells)
        this.addTo(storageClass, index, { objects: objects * times, bytes: bytes * times });
  }

  cells(): readonly Cell[] {
    return Array.from(this.classes, ([storageClass, cells]) =>
      Array.from(cells, ([index, sum]) => {
        const bits = Math.floor(index / AGES);
        return { ...sum, storageClass, ageDays: index % AGES, fromBytes: bits === 0 ? 0 : 2 ** (bits - 1) };
      }),
    ).flat();
  }

  private addTo(named: string, index: number, { objects, bytes }: Counted): void {
    const storageClass = this.classes.has(named) || this.classes.size < MOST_CLASSES ? named : OTHER_CLASS;
    let cells = this.classes.get(storageClass);
    if (cells === undefined) this.classes.set(storageClass, (cells = new Map<number, Sum>()));
    const sum = cells.get(index);
    if (sum === undefined) cells.set(index, { objects, bytes });
    else {
      sum.objects += objects;
      sum.bytes += bytes;
    }
  }
}

/** Returns the total of these cells. */
export const countedIn = (cells: readonly Counted[]): Counted => ({
  objects: cells.reduce((sum, { objects }) => sum + objects, 0),
  bytes: cells.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Returns the objects of a cell for the price model, all of average size: within a cell that costs the same. */
export const objectsOf = (
  { objects, bytes, storageClass }: Pick<Cell, 'objects' | 'bytes' | 'storageClass'>,
  into = storageClass,
): StoredObject => ({ sizeBytes: objects === 0 ? 0 : bytes / objects, storageClass: into, count: objects });
