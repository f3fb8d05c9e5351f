// A writer of a fleet under what `fleetagent init --provider` emits, on servers that are not AWS and enforce policies themselves: what the
// README of its bundle promises there holds, and what it says is not kept is not.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOnlyPolicy } from '../../src/core/fleet/bundle/bucket-policy.js';
import { fleetPlace } from '../../src/core/fleet/bundle/fleet-place.js';
import { Rng } from '../soak/prng.js';
import { attack, HARMFUL, type Target } from '../support/attack-writer.js';
import { noMinio } from '../servers/minio.js';
import { startMinio } from '../support/minio.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

const RUN = randomBytes(3).toString('hex');
const BUCKET = `fleet-providers-${RUN}`;
const BASE = `s3://${BUCKET}/lab`;
const PLACE = `${BASE}/writers/nas`;
const REQUESTS = 500;
/** What the README says is not kept. */
const NOT_KEPT: readonly string[] = ['overwrite', 'overwrite, If-Match'];
/** 412: the object is there. 400: an upload of no parts ends nothing. */
const OTHER_STATUS: Readonly<Record<string, number>> = { 'overwrite, If-None-Match': 412, multipart: 400 };
const everything = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::*'] }],
});

interface Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Server {
  readonly endpoint: string;
  /** The owner of the bucket. */
  readonly root: Key;
  /** Makes a user with a policy. @throws when the server refuses the policy */
  addUser(name: string, policy: string): Promise<Key>;
  stop(): Promise<void>;
}

async function ofMinio(): Promise<Server> {
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

function ofCeph(): Promise<Server> {
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

const SERVERS = [
  { provider: 'minio', start: ofMinio, lacking: noMinio(), keepsVersions: true },
  {
    provider: 'ceph',
    start: ofCeph,
    lacking: conf === '' ? 'ARCHIVER_TEST_RGW_CONF is not set' : undefined,
    keepsVersions: false,
  },
] as const;

for (const { provider, start, lacking, keepsVersions } of SERVERS) {
  const reason = lacking === undefined ? '' : ` (left out: ${lacking})`;
  describe.skipIf(lacking !== undefined)(`a writer under the policies for ${provider}${reason}`, () => {
    const work = mkdtempSync(join(tmpdir(), 'archiver-providers-'));
    const source = join(work, 'source');
    let server: Server;
    let owner: S3Client;
    let admin: Key;
    let target: Target;
    let made: UploadDocument;
    let chunk = '';
    let original: ReadonlyMap<string, string>;

    const emitted = (name: string): string => readFileSync(join(work, 'bundle', name), 'utf8');
    const clientOf = (credentials: Key): S3Client =>
      new S3Client({
        endpoint: server.endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
        credentials,
      });
    const run = (key: Key, args: readonly string[]): Promise<Ran> => {
      const keys = { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey };
      const env = { ...keys, AWS_ENDPOINT_URL: server.endpoint, AWS_REGION: 'us-east-1', ARCHIVER_CREATE_ONCE: 'auto' };
      return archiver(join(work, 'home'), [...args, '--json', '--quiet'], { env });
    };
    /** Every version of what the writer has stored, with its ETag. */
    const versions = async (): Promise<ReadonlyMap<string, string>> => {
      const found = new Map<string, string>();
      let at: { readonly KeyMarker?: string | undefined; readonly VersionIdMarker?: string | undefined } | undefined =
        {};
      while (at !== undefined) {
        const query = { Bucket: BUCKET, Prefix: 'lab/writers/nas/', ...at };
        const page: ListObjectVersionsCommandOutput = await owner.send(new ListObjectVersionsCommand(query));
        for (const { Key = '', VersionId = '', ETag = '' } of page.Versions ?? [])
          found.set(`${Key} ${VersionId}`, ETag);
        at =
          page.IsTruncated === true
            ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
            : undefined;
      }
      return found;
    };
    /** Of those that were there before, what is gone or has another content. */
    const lost = async (before: ReadonlyMap<string, string>): Promise<readonly string[]> => {
      const after = await versions();
      return [...before].filter(([id, etag]) => after.get(id) !== etag).map(([id]) => id);
    };

    beforeAll(async () => {
      server = await start();
      owner = clientOf(server.root);
      mkdirSync(join(work, 'home'));
      mkdirSync(source);
      const { publicKey } = generateKeyPairSync('ed25519');
      writeFileSync(join(work, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
      const flags = ['--writer-id', 'nas', '--public-key', join(work, 'key.pub'), '--out', join(work, 'bundle')];
      const init = ['fleetagent', 'init', BASE, ...flags, '--endpoint-url', server.endpoint, '--provider', provider];
      const bundled = await run(server.root, init);
      if (bundled.status !== 0) throw new Error(bundled.stderr);
      // As the README says: with Object Lock from the beginning on, or without versions.
      await owner.send(new CreateBucketCommand({ Bucket: BUCKET, ObjectLockEnabledForBucket: keepsVersions }));
      if (keepsVersions) {
        const Rule = { DefaultRetention: { Mode: 'COMPLIANCE', Days: 1 } } as const;
        const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const;
        await owner.send(new PutObjectLockConfigurationCommand({ Bucket: BUCKET, ObjectLockConfiguration }));
      }
      const foreign = ['lab/writers/other/status.json', 'lab/fleet/other/config.yaml', 'lab/uploads/a'];
      for (const Key of foreign) await owner.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'of others' }));
      admin = await server.addUser('fleet-admin', everything);
      const writer = await server.addUser('fleet-nas', emitted('iam-policy.json'));
      for (const version of [1, 2]) {
        writeFileSync(join(source, `file-${version}`), `content of ${version}`);
        const ran = await run(writer, ['sync', source, BASE, '--writer-id', 'nas']);
        if (ran.status !== 0) throw new Error(`version ${version}: ${ran.stdout}`);
        made = JSON.parse(ran.stdout) as UploadDocument;
      }
      original = await versions();
      const keys = [...original.keys()].map((line) => line.split(' ')[0] ?? '');
      chunk = keys.findLast((key) => key.includes(`${made.uploadId}/shard-`)) ?? '';
      target = { client: clientOf(writer), bucket: BUCKET, keys, foreign };
    }, 120_000);

    afterAll(async () => {
      await server?.stop();
      rmSync(work, { recursive: true, force: true });
    });

    it('what the bundle leaves out is not understood there', async () => {
      const answer = (asked: Promise<unknown>): Promise<string> =>
        asked.then(
          () => 'taken',
          (error: Error) => error.message,
        );
      const Policy = JSON.stringify(createOnlyPolicy(fleetPlace(BASE), 'aws'));
      const AbortIncompleteMultipartUpload = { DaysAfterInitiation: 7 };
      const Rules = [{ ID: 'a', Status: 'Enabled' as const, Filter: { Prefix: '' }, AbortIncompleteMultipartUpload }];
      const rules = { Bucket: BUCKET, LifecycleConfiguration: { Rules } };

      const ofPolicy = await answer(owner.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy })));
      const ofRules = await answer(owner.send(new PutBucketLifecycleConfigurationCommand(rules)));

      expect(() => emitted('bucket-policy.json')).toThrow('ENOENT');
      expect(ofPolicy).toMatch(keepsVersions ? 's3:if-none-match' : /^taken$/);
      expect(ofRules).toMatch(keepsVersions ? 'XML' : /^taken$/);
    });

    it.each(Object.keys(HARMFUL))('%s: as the README says', async (name) => {
      const before = await versions();

      const outcome = await HARMFUL[name]!(target, new Rng(name), chunk).then(
        () => 'done',
        (error: { readonly $metadata?: { readonly httpStatusCode?: number } }) => error.$metadata?.httpStatusCode,
      );

      expect(outcome).toBe(NOT_KEPT.includes(name) ? 'done' : (OTHER_STATUS[name] ?? 403));
      expect(await lost(before)).toEqual(name === 'overwrite' && !keepsVersions ? [`${chunk} null`] : []);
    });

    it(`${REQUESTS} random requests with the key of the writer do no more than that`, async () => {
      const before = await versions();

      const { succeeded } = await attack(target, new Rng('attack'), (sent) => sent < REQUESTS);

      const after = keepsVersions ? await lost(before) : [];
      expect([...new Set(succeeded)].toSorted()).toEqual(NOT_KEPT);
      expect(after).toEqual([]);
    }, 120_000);

    it.skipIf(!keepsVersions)(
      'what was replaced is named by verify, stays locked, and is brought back as the README says',
      async () => {
        const verify = ['verify', `${PLACE}/uploads/${made.uploadId}`, '--deep'];
        expect(await run(admin, verify)).toMatchObject({ status: 1 });

        const adminClient = clientOf(admin);
        for (const id of original.keys()) {
          const [Key = '', VersionId = ''] = id.split(' ');
          const deleting = owner.send(new DeleteObjectCommand({ Bucket: BUCKET, Key, VersionId }));
          await expect(deleting).rejects.toThrow('WORM');
          const CopySource = `${BUCKET}/${Key}?versionId=${VersionId}`;
          await adminClient.send(new CopyObjectCommand({ Bucket: BUCKET, Key, CopySource }));
        }

        expect(await run(admin, verify)).toMatchObject({ status: 0 });
        const output = join(work, 'out');
        const restoring = ['restore', PLACE, output, '--all', '--dataset-id', made.datasetId, '--version', '2'];
        expect(await run(admin, restoring)).toMatchObject({ status: 0 });
        expect(readdirSync(output).toSorted()).toEqual(['file-1', 'file-2']);
        expect(readFileSync(join(output, 'file-2'), 'utf8')).toBe('content of 2');
      },
    );

    it.skipIf(keepsVersions)(
      'with versions of the bucket a writer makes them as on a plain store, as the README says',
      async () => {
        const Bucket = `${BUCKET}-versions`;
        await owner.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));

        const ran = await run(server.root, ['sync', source, `s3://${Bucket}/lab`, '--writer-id', 'nas']);

        expect(ran).toMatchObject({ status: 0 });
      },
    );
  });
}
