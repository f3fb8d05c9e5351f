// Rows whose content is to be read, each with what is to be made of it. Columns only, however many there are.
import type { Proof } from './known-contents.js';

/** Rows of which one kind of digest is made. */
export interface RowList {
  readonly rows: Uint32Array;
  /** Of the XXH64 that is made of each; undefined: their SHA-256 is. */
  readonly seeds: BigUint64Array | undefined;
}

export class RowsToRead {
  private readonly bySha256 = new Rows();
  private readonly bySeed = new Rows();

  add(row: number, proof: Proof): void {
    if (proof === 'sha256') this.bySha256.add(row, 0n);
    else this.bySeed.add(row, proof.seed);
  }

  get count(): number {
    return this.bySha256.count + this.bySeed.count;
  }

  /** Those that are not empty. */
  lists(): readonly RowList[] {
    const { bySha256, bySeed } = this;
    const lists = [
      { rows: bySha256.all(), seeds: undefined },
      { rows: bySeed.all(), seeds: bySeed.allSeeds() },
    ];
    return lists.filter(({ rows }) => rows.length > 0);
  }
}

class Rows {
  count = 0;
  private rows = new Uint32Array(256);
  private seeds = new BigUint64Array(256);

  add(row: number, seed: bigint): void {
    if (this.count === this.rows.length) {
      const [rows, seeds] = [this.rows, this.seeds];
      this.rows = new Uint32Array(this.count * 2);
      this.seeds = new BigUint64Array(this.count * 2);
      this.rows.set(rows);
      this.seeds.set(seeds);
    }
    this.rows[this.count] = row;
    this.seeds[this.count++] = seed;
  }

  all(): Uint32Array {
    return this.rows.subarray(0, this.count);
  }

  allSeeds(): BigUint64Array {
    return this.seeds.subarray(0, this.count);
  }
}
