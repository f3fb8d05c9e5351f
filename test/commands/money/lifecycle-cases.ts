// What a bucket goes through with `archiver lifecycle`, on any S3 server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { command } from '../../../src/commands/money/lifecycle.js';
import { openTestS3 } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

export const UPLOAD = '20251114-093012-1a2b3c4d';
export const WRITERS = '20251120-093012-5e6f7a8b';
/** As somebody else made it. */
export const FOREIGN: LifecycleRule = {
  ID: 'logs',
  Filter: { Prefix: 'logs/' },
  Status: 'Enabled',
  Expiration: { Days: 90 },
};
const CHUNK = Buffer.alloc(200 * 1024, 7);

export interface Lifecycle {
  readonly folder: string;
  /** The rules that the bucket has, by ID. */
  rules(): Promise<ReadonlyMap<string, LifecycleRule>>;
  put(...rules: readonly LifecycleRule[]): Promise<void>;
  run(...argv: readonly string[]): Promise<CommandRun>;
  /** The same for the whole bucket. */
  runForBucket(...argv: readonly string[]): Promise<CommandRun>;
  /** With `--yes` and `--json`. */
  change(...argv: readonly string[]): Promise<Record<string, unknown>>;
  /** Lines typed on a terminal. */
  answering(answers: readonly string[], ...argv: readonly string[]): Promise<CommandRun>;
  write(name: string, document: unknown): void;
  read(name: string): unknown;
}

/** A store at `lab` of the bucket with an upload, one of a writer, and one whose chunks are in DEEP_ARCHIVE already. */
export async function lifecycleOf(endpoint: string, bucket: string): Promise<Lifecycle> {
  const folder = await tempFolder();
  const { store } = await openTestS3(endpoint, bucket, { prefix: 'lab' });
  for (const upload of [`uploads/${UPLOAD}`, `writers/w1/uploads/${WRITERS}`]) {
    await store.put(`${upload}/shard-00/chunk-000000.tar.zst`, CHUNK);
    await store.put(`${upload}/manifest.json.gz`, CHUNK);
  }
  const moved = 'uploads/20240101-000000-aaaaaaaa';
  await store.put(`${moved}/shard-00/chunk-000000.tar.zst`, CHUNK, { storageClass: 'DEEP_ARCHIVE' });
  await store.put(`${moved}/manifest.json.gz`, CHUNK);
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const call = (argv: readonly string[], answers?: readonly string[], place = '/lab'): Promise<CommandRun> =>
    runCommand({ root: treeOf([command], [], 'lifecycle alone'), folder, answers, env: { NO_COLOR: '1' } }, [
      'lifecycle',
      '--bucket',
      `s3://${bucket}${place}`,
      '--endpoint-url',
      endpoint,
      ...argv,
    ]);
  return {
    folder,
    async rules() {
      const answer = await client
        .send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
        .catch((error: Error) => {
          if (error.name === 'NoSuchLifecycleConfiguration') return { Rules: [] };
          throw error;
        });
      return new Map((answer.Rules ?? []).map((rule) => [rule.ID ?? '', rule]));
    },
    async put(...Rules) {
      const LifecycleConfiguration = { Rules: [...Rules] };
      await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration }));
    },
    run: (...argv) => call(argv),
    runForBucket: (...argv) => call(argv, undefined, ''),
    async change(...argv) {
      const { status, stdout, stderr } = await call([...argv, '--yes', '--json']);
      if (status !== 0) throw new Error(`status ${status}: ${stdout} ${stderr}`);
      return json(stdout);
    },
    answering: (answers, ...argv) => call(argv, answers),
    write: (name, document) => writeFileSync(join(folder, name), JSON.stringify(document)),
    read: (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown,
  };
}
