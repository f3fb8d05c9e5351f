// MinIO: keeps If-None-Match, versions and locks.
import { freePorts } from './free-ports.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';
import { notOnPath, serve, type Serving } from './serve.js';

/** Why it cannot be started here. */
export const noMinio = (): string | undefined => notOnPath('minio');

/** Starts one with nothing in it, which can be halted and resumed. @throws with what it said when it does not start */
export async function startMinio(): Promise<S3Server & Pick<Serving, 'halt' | 'resume'>> {
  const port = await freePorts(2);
  const endpoint = `http://127.0.0.1:${port}`;
  const addresses = ['--address', `127.0.0.1:${port}`, '--console-address', `127.0.0.1:${port + 1}`];
  const { stop, halt, resume } = await serve({
    name: 'minio',
    command: 'minio',
    args: (folder) => ['server', `${folder}/data`, ...addresses],
    env: { MINIO_ROOT_USER: TEST_KEYS.accessKeyId, MINIO_ROOT_PASSWORD: TEST_KEYS.secretAccessKey },
    url: `${endpoint}/minio/health/ready`,
  });
  return { endpoint, region: TEST_REGION, ...TEST_KEYS, env: {}, stop, halt, resume };
}
