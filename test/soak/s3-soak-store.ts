// The same on an S3 server. Its clock cannot be set, so the proxies say older times than the server does.
import {
  CreateBucketCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientEnv, type S3Server } from '../servers/s3-server.js';
import type { SoakStore, StoredObject } from './soak-store.js';

export type Address = Omit<S3Server, 'env' | 'stop'>;

interface Ageing {
  readonly before: number;
  readonly ms: number;
}

const AT_ONCE = 16;
/** S3 gives whole seconds: what was written before an ageing must not have the second of what was written after it. */
const SECOND_MS = 1100;

class S3Store implements SoakStore {
  readonly url: string;
  readonly upstream: string;
  readonly env: Readonly<Record<string, string>>;
  private readonly ageings: Ageing[];
  constructor(
    private readonly server: Address,
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly prefix: string,
    ageings: readonly Ageing[] = [],
  ) {
    this.url = `s3://${bucket}/${prefix}`;
    this.upstream = server.endpoint;
    this.env = clientEnv(server);
    this.ageings = [...ageings];
  }

  async list(): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    let token: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({
          Bucket: this.bucket,
          Prefix: `${this.prefix}/`,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
      for (const { Key = '', Size = 0, ETag = '', LastModified } of page.Contents ?? [])
        found.push({ key: Key.slice(this.prefix.length + 1), size: Size, tag: `${ETag} ${LastModified?.getTime()}` });
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return found;
  }

  async get(key: string): Promise<Buffer> {
    const { Body } = await this.client.send(new GetObjectCommand({ Bucket: this.bucket, Key: this.full(key) }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket: this.bucket, Key: this.full(key), Body: bytes }));
  }

  async remove(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: this.full(key) }));
  }

  async copy(name: string): Promise<SoakStore> {
    const other = this.named(name, this.ageings);
    await other.discard();
    await this.copyTo(other);
    return other;
  }

  async beside(name: string): Promise<SoakStore> {
    const other = this.named(name);
    await other.discard();
    return other;
  }

  async moveAway(name: string): Promise<SoakStore> {
    const other = await this.copy(name);
    await this.discard();
    return other;
  }

  async putBack(other: SoakStore): Promise<void> {
    await this.discard();
    await (other as S3Store).copyTo(this);
    await other.discard();
  }

  private named(name: string, ageings: readonly Ageing[] = []): S3Store {
    return new S3Store(this.server, this.client, this.bucket, `${this.prefix}-${name}`, ageings);
  }

  private async copyTo(other: S3Store): Promise<void> {
    await this.forEach(await this.list(), async ({ key }) => {
      const source = `${this.bucket}/${this.full(key)}`.split('/').map(encodeURIComponent).join('/');
      await this.client.send(new CopyObjectCommand({ Bucket: this.bucket, Key: other.full(key), CopySource: source }));
    });
  }

  async discard(): Promise<void> {
    await this.forEach(await this.list(), ({ key }) => this.remove(key));
  }

  async age(ms: number): Promise<void> {
    await sleep(SECOND_MS);
    this.ageings.push({ before: Date.now(), ms });
    await sleep(SECOND_MS);
  }

  shownTime(time: Date): Date {
    const older = this.ageings.filter(({ before }) => time.getTime() < before).reduce((sum, { ms }) => sum + ms, 0);
    return new Date(time.getTime() - older);
  }

  private full(key: string): string {
    return `${this.prefix}/${key}`;
  }

  private async forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    const queue = [...items];
    const worker = async (): Promise<void> => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
}

/** A client of the server. */
export const clientOf = ({ endpoint, region, accessKeyId, secretAccessKey }: Address): S3Client =>
  new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });

export interface BucketSettings {
  readonly hasLock?: boolean;
}

/** A store in a new bucket. */
export async function s3SoakStore(server: Address, bucket: string, settings: BucketSettings = {}): Promise<SoakStore> {
  const client = clientOf(server);
  const lock = settings.hasLock === true ? { ObjectLockEnabledForBucket: true } : {};
  await client.send(new CreateBucketCommand({ Bucket: bucket, ...lock }));
  return new S3Store(server, client, bucket, 'lab');
}
