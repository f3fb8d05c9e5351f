// The history that scenarios share which only read: three versions of one dataset, each made when it is first asked for.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '../soak/snapshot.js';
import type { Document, Place } from './place.js';
import type { World } from './world.js';

export interface Made {
  readonly place: Place;
  readonly document: Document;
  /** What the source held. */
  readonly tree: Tree;
}

export class Day {
  /** A file that the third version lacks. */
  readonly removed = 'file-to-be-removed.txt';
  private readonly made: Promise<Made>[] = [];

  constructor(private readonly world: World) {}

  /** The first version. */
  uploaded(): Promise<Made> {
    return this.once(0, async () => {
      const place = await this.world.place();
      const { source } = place.machine();
      source.add(this.removed, 'here until the third version');
      const args = ['upload', source.root, place.url, '--dataset-id', 'lab', '--quiet'];
      return { place, document: await place.json(args), tree: source.now };
    });
  }

  /** The second one: some files changed. */
  synced(): Promise<Made> {
    return this.once(1, async () => {
      const { place } = await this.uploaded();
      place.change();
      const { source } = place.machine();
      if (!source.now.has(this.removed)) source.add(this.removed, 'here again');
      return { place, document: await place.sync(), tree: source.now };
    });
  }

  /** The third one: a file is gone. */
  removedOne(): Promise<Made> {
    return this.once(2, async () => {
      const { place } = await this.synced();
      const { source } = place.machine();
      rmSync(join(source.root, this.removed));
      source.look();
      return { place, document: await place.sync(), tree: source.now };
    });
  }

  private once(index: number, make: () => Promise<Made>): Promise<Made> {
    return (this.made[index] ??= make());
  }
}
