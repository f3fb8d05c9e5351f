// s3s-fs: a folder as S3. It keeps If-None-Match one request after the other, and not in a race.
import { mkdirSync } from 'node:fs';
import { freePorts } from './free-ports.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';
import { notOnPath, serve } from './serve.js';

/** Why it cannot be started here. */
export const noS3sFs = (): string | undefined => notOnPath('s3s-fs');

/** Starts one with nothing in it. @throws with what it said when it does not start */
export async function startS3sFs(): Promise<S3Server> {
  const port = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = ['--access-key', TEST_KEYS.accessKeyId, '--secret-key', TEST_KEYS.secretAccessKey];
  const { stop } = await serve({
    name: 's3s-fs',
    command: 's3s-fs',
    args: (folder) => {
      mkdirSync(`${folder}/data`);
      return ['--host', '127.0.0.1', '--port', String(port), ...keys, `${folder}/data`];
    },
    url: endpoint,
  });
  return { endpoint, region: TEST_REGION, ...TEST_KEYS, env: {}, stop };
}
