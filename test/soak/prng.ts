// All randomness of the soak. A generator is made from a text, so that a step draws the same numbers whatever the steps
// before it drew: a seed replays even where a race went the other way.
import { createHash } from 'node:crypto';

export class Rng {
  private state: number;
  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** An independent generator for a part of the work. */
  fork(label: string): Rng {
    return new Rng(`${this.seed}/${label}`);
  }

  /** From 0 up to, and without, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both possible. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** Small numbers more often than large ones. */
  small(low: number, high: number): number {
    return Math.min(high, Math.floor(low * (high / low) ** this.next()));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws when there is nothing to choose from */
  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.int(0, choices.length - 1)];
    if (choices.length === 0) throw new Error('nothing to pick from');
    return chosen as T;
  }

  /** One of the names, as often as its weight says. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const all = Object.entries(weights) as [T, number][];
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of all) {
      left -= weight;
      if (left < 0) return name;
    }
    return (all[0] as [T, number])[0];
  }

  /** Bytes that do not compress. */
  noise(length: number): Buffer {
    const pieces: Buffer[] = [];
    const key = `${this.next()}`;
    for (let made = 0, round = 0; made < length; made += 64, round++)
      pieces.push(createHash('sha512').update(`${key}/${round}`).digest());
    return Buffer.concat(pieces).subarray(0, length);
  }
}
