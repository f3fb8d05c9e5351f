// Servers that are not AWS and enforce policies of users themselves, with a way to make such users.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { noMinio } from '../servers/minio.js';
import type { S3Keys } from '../servers/s3-server.js';
import { startMinio } from './minio.js';

/** So that tests can run again on the same server. */
const RUN = randomBytes(3).toString('hex');

export interface PolicyServer {
  readonly endpoint: string;
  /** The owner of the bucket. */
  readonly root: S3Keys;
  /** Makes a user with a policy. @throws when the server refuses the policy */
  addUser(name: string, policy: string): Promise<S3Keys>;
  stop(): Promise<void>;
}

async function ofMinio(): Promise<PolicyServer> {
  const minio = await startMinio();
  return {
    ...minio,
    async addUser(name, policy) {
      const key = { accessKeyId: name, secretAccessKey: `${name}-secret` };
      await minio.addPolicy(`${name}-policy`, policy);
      await minio.addUser(name, key.secretAccessKey, `${name}-policy`);
      return key;
    },
  };
}

const conf = process.env['ARCHIVER_TEST_RGW_CONF'] ?? '';

function ofCeph(): Promise<PolicyServer> {
  const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
  const root = { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' };
  return Promise.resolve({
    endpoint,
    root,
    async addUser(name, PolicyDocument) {
      const UserName = `${name}-${RUN}`;
      const key = { accessKeyId: UserName, secretAccessKey: `${name}-secret` };
      const args = [`--uid=${UserName}`, `--display-name=${UserName}`, '--max-buckets=-1', `--access-key=${UserName}`];
      const create = ['-c', conf, 'user', 'create', ...args, `--secret-key=${key.secretAccessKey}`];
      execFileSync('radosgw-admin', create, { stdio: 'ignore' });
      const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials: root });
      await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'fleet', PolicyDocument }));
      iam.destroy();
      return key;
    },
    stop: () => Promise.resolve(),
  });
}

/** `keepsVersions`: the README of a bundle turns them on. */
export const POLICY_SERVERS = [
  { provider: 'minio', start: ofMinio, lacking: noMinio(), keepsVersions: true },
  {
    provider: 'ceph',
    start: ofCeph,
    lacking: conf === '' ? 'ARCHIVER_TEST_RGW_CONF is not set' : undefined,
    keepsVersions: false,
  },
] as const;
