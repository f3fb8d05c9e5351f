// Adds up usage by kind, class and way, so that millions of objects take no room.
import type { Usage } from './cost-model.js';

export class UsageSums {
  private readonly sums = new Map<string, Usage>();

  add(usages: Iterable<Usage>): void {
    for (const usage of usages) {
      const { kind, storageClass = '', way = '', days = '' } = usage;
      const key = `${kind} ${storageClass} ${way} ${days}`;
      this.sums.set(key, { ...usage, quantity: usage.quantity + (this.sums.get(key)?.quantity ?? 0) });
    }
  }

  get isEmpty(): boolean {
    return this.sums.size === 0;
  }

  /** Bytes that are billed as stored. */
  get bytes(): number {
    return this.usages().reduce((sum, { kind, quantity }) => sum + (kind === 'storage' ? quantity : 0), 0);
  }

  usages(): readonly Usage[] {
    return [...this.sums.values()];
  }
}
