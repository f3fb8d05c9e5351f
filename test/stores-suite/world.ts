// What scenarios work with: a server, stores on it, and a day that several of them share.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CreateMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Ability, KnownServer } from '../servers/known-servers.js';
import { Rng } from '../soak/prng.js';
import { clientOf, s3SoakStore, type Address, type BucketSettings } from '../soak/s3-soak-store.js';
import { folderSoakStore, type SoakStore } from '../soak/soak-store.js';
import { Day } from './day.js';
import { Place } from './place.js';

export class World {
  readonly day: Day;
  private readonly abilities: ReadonlySet<Ability>;
  private readonly places: Place[] = [];
  private readonly rng: Rng;
  private shared: Promise<SoakStore> | undefined;

  constructor(
    readonly server: KnownServer,
    private readonly address: Address | undefined,
    private readonly folder: string,
    seed: string,
  ) {
    this.rng = new Rng(seed);
    this.abilities = new Set(server.abilities());
    this.day = new Day(this);
  }

  can(ability: Ability): boolean {
    return this.abilities.has(ability);
  }

  get isFolder(): boolean {
    return this.address === undefined;
  }

  /** A client of the server, past the program. @throws for a folder */
  client(): S3Client {
    if (this.address === undefined) throw new Error('a folder has no client');
    return clientOf(this.address);
  }

  /** An empty store: a prefix of one bucket, or a bucket of its own where it is to be made in another way. */
  async place(settings?: BucketSettings): Promise<Place> {
    const name = `place-${this.places.length + 1}`;
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    const store = settings === undefined ? await this.prefix(name) : await this.bucket(`archiver-${name}`, settings);
    const exclusive = this.can('createOnce') ? [] : ['--exclusive'];
    const place = new Place({ folder, store, rng: this.rng.fork(name), exclusive });
    this.places.push(place);
    return place;
  }

  private async prefix(name: string): Promise<SoakStore> {
    if (this.address === undefined) return folderSoakStore(join(this.folder, name, 'store'));
    this.shared ??= this.bucket('archiver-stores', {});
    return await (await this.shared).beside(name);
  }

  private async bucket(name: string, settings: BucketSettings): Promise<SoakStore> {
    if (this.address === undefined) throw new Error('a folder has no buckets');
    const store = await s3SoakStore(this.address, name, settings);
    await this.server.prepareBucket?.(this.client(), name);
    return store;
  }

  /** Somebody begins a multipart upload and never ends it. */
  async beginMultipart(place: Place, key: string): Promise<void> {
    const { hostname, pathname } = new URL(place.url);
    const where = { Bucket: hostname, Key: `${pathname.slice(1)}/${key}` };
    await this.client().send(new CreateMultipartUploadCommand(where));
  }

  close(): void {
    for (const place of this.places) place.close();
  }
}
