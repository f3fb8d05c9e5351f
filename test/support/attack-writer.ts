// What somebody can try who has stolen a writer's key and knows every key of its store: one request at a time, drawn by chance.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketAclCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { digestedText } from '../../src/core/platform/json/digested-json.js';
import type { Rng } from '../soak/prng.js';

export interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  /** Keys of the writer that must stay as they are. */
  readonly keys: readonly string[];
  /** Keys of others. */
  readonly foreign: readonly string[];
}

type Send = (target: Target, rng: Rng, key: string) => Promise<unknown>;

const Body = 'attacked';
const pick = (rng: Rng, from: readonly string[]): string => from[rng.int(0, from.length - 1)] ?? '';
const lifecycle = {
  Rules: [{ ID: 'gone', Status: 'Enabled' as const, Filter: { Prefix: '' }, Expiration: { Days: 1 } }],
};

async function multipartOver({ client, bucket: Bucket }: Target, _rng: Rng, Key: string): Promise<unknown> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  return await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [] } }),
  );
}

/** What can only do harm: all of it is to be refused. */
export const HARMFUL: Readonly<Record<string, Send>> = {
  overwrite: ({ client, bucket: Bucket }, _rng, Key) => client.send(new PutObjectCommand({ Bucket, Key, Body })),
  'overwrite, If-None-Match': ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*' })),
  'overwrite, If-Match': ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, IfMatch: '*' })),
  copy: ({ client, bucket: Bucket, keys }, rng, Key) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${pick(rng, keys)}` })),
  multipart: multipartOver,
  abort: ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: 'a' })),
  get: ({ client, bucket: Bucket }, _rng, Key) => client.send(new GetObjectCommand({ Bucket, Key })),
  head: ({ client, bucket: Bucket }, _rng, Key) => client.send(new HeadObjectCommand({ Bucket, Key })),
  delete: ({ client, bucket: Bucket }, _rng, Key) => client.send(new DeleteObjectCommand({ Bucket, Key })),
  'delete a version': ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new DeleteObjectCommand({ Bucket, Key, VersionId: 'null' })),
  ACL: ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new PutObjectAclCommand({ Bucket, Key, ACL: 'public-read' })),
  tagging: ({ client, bucket: Bucket }, _rng, Key) =>
    client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } })),
  untagging: ({ client, bucket: Bucket }, _rng, Key) => client.send(new DeleteObjectTaggingCommand({ Bucket, Key })),
  'put elsewhere': ({ client, bucket: Bucket, foreign }, rng) =>
    client.send(new PutObjectCommand({ Bucket, Key: pick(rng, foreign), Body })),
  'create elsewhere': ({ client, bucket: Bucket, foreign }, rng) =>
    client.send(
      new PutObjectCommand({ Bucket, Key: `${pick(rng, foreign)}-${rng.int(0, 1e9)}`, Body, IfNoneMatch: '*' }),
    ),
  'get elsewhere': ({ client, bucket: Bucket, foreign }, rng) =>
    client.send(new GetObjectCommand({ Bucket, Key: pick(rng, foreign) })),
  'delete elsewhere': ({ client, bucket: Bucket, foreign }, rng) =>
    client.send(new DeleteObjectCommand({ Bucket, Key: pick(rng, foreign) })),
  'list elsewhere': ({ client, bucket: Bucket }, rng) =>
    client.send(
      new ListObjectsV2Command({ Bucket, Prefix: pick(rng, ['', 'lab/', 'lab/writers/', 'lab/writers/other/']) }),
    ),
  versions: ({ client, bucket: Bucket }) => client.send(new ListObjectVersionsCommand({ Bucket })),
  lifecycle: ({ client, bucket: Bucket }) =>
    client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: lifecycle })),
  policy: ({ client, bucket: Bucket }) =>
    client.send(new PutBucketPolicyCommand({ Bucket, Policy: '{"Version":"2012-10-17","Statement":[]}' })),
  'no policy': ({ client, bucket: Bucket }) => client.send(new DeleteBucketPolicyCommand({ Bucket })),
  versioning: ({ client, bucket: Bucket }) =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Suspended' } })),
  'bucket ACL': ({ client, bucket: Bucket }) =>
    client.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read-write' })),
  'delete the bucket': ({ client, bucket: Bucket }) => client.send(new DeleteBucketCommand({ Bucket })),
};

/** Deletes many: refused key by key in an answer that says 200. */
const deleteMany: Send = async ({ client, bucket: Bucket, keys }, rng) => {
  const Objects = Array.from({ length: 5 }, () => ({ Key: pick(rng, keys) }));
  const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  if (Deleted.length === 0) throw new Error('refused');
  return Deleted;
};

/** What a writer may do, turned against its own store: rubbish beside what is there, and forged marks that tell the sweep to delete it. */
const RUBBISH: Readonly<Record<string, Send>> = {
  rubbish: ({ client, bucket: Bucket }, rng, key) =>
    client.send(new PutObjectCommand({ Bucket, Key: `${key}.${rng.int(0, 1e9)}`, Body, IfNoneMatch: '*' })),
  mark: ({ client, bucket: Bucket, keys }, rng) => {
    const chunk = pick(
      rng,
      keys.filter((key) => key.includes('/shard-')),
    );
    const folder = chunk.slice(0, chunk.indexOf('/shard-') + 1);
    const uploadId = folder.split('/').at(-2) ?? '';
    const named = keys.filter((key) => key.startsWith(folder)).map((key) => key.slice(folder.length));
    const mark = { format: 1, type: 'archiver-sweep', uploadId, reason: 'retired', keys: named };
    const Key = `${folder}sweep-20200101T000000Z-${rng.int(0x10000000, 0xffffffff).toString(16)}.json`;
    return client.send(new PutObjectCommand({ Bucket, Key, Body: `${digestedText(mark)}\n`, IfNoneMatch: '*' }));
  },
};

export interface Attacked {
  /** Requests by kind. */
  readonly tried: ReadonlyMap<string, number>;
  /** Harmful ones that were not refused. */
  readonly succeeded: readonly string[];
  /** Objects that were added. */
  readonly added: number;
}

/** Attacks for as long as `goesOn` says. */
export async function attack(target: Target, rng: Rng, goesOn: (sent: number) => boolean): Promise<Attacked> {
  const harmful: typeof HARMFUL = { ...HARMFUL, 'delete many': deleteMany };
  const kinds = Object.entries({ ...harmful, ...RUBBISH });
  const tried = new Map<string, number>();
  const succeeded: string[] = [];
  let added = 0;
  for (let sent = 0; goesOn(sent); sent += 1) {
    const [kind, send] = kinds[rng.int(0, kinds.length - 1)]!;
    tried.set(kind, (tried.get(kind) ?? 0) + 1);
    const isDone = await send(target, rng, pick(rng, target.keys)).then(
      () => true,
      () => false,
    );
    if (isDone && kind in harmful) succeeded.push(kind);
    else if (isDone) added += 1;
  }
  return { tried, succeeded, added };
}
