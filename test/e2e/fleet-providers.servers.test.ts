// A writer of a fleet under what `fleetagent init --provider` emits, on servers that are not AWS and enforce policies themselves: what the
// README of its bundle promises there holds, and what it says is not kept is not.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import type { S3Keys } from '../servers/s3-server.js';
import { POLICY_SERVERS, type PolicyServer } from '../support/policy-servers.js';
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

/** Of what `access-check --try` says. */
interface Tried {
  readonly promises: readonly { readonly name: string; readonly state: string; readonly consequence: string }[];
  readonly leftObjects: readonly { readonly key: string }[];
}

for (const { provider, start, lacking, keepsVersions } of POLICY_SERVERS) {
  const reason = lacking === undefined ? '' : ` (left out: ${lacking})`;
  describe.skipIf(lacking !== undefined)(`a writer under the policies for ${provider}${reason}`, () => {
    const work = mkdtempSync(join(tmpdir(), 'archiver-providers-'));
    const source = join(work, 'source');
    let server: PolicyServer;
    let owner: S3Client;
    let admin: S3Keys;
    let writer: S3Keys;
    let target: Target;
    let made: UploadDocument;
    let chunk = '';
    let original: ReadonlyMap<string, string>;

    const emitted = (name: string): string => readFileSync(join(work, 'bundle', name), 'utf8');
    const clientOf = (credentials: S3Keys): S3Client =>
      new S3Client({
        endpoint: server.endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
        credentials,
      });
    const run = (key: S3Keys, args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> => {
      const keys = { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey };
      const env = { ...keys, AWS_ENDPOINT_URL: server.endpoint, AWS_REGION: 'us-east-1', ARCHIVER_CREATE_ONCE: 'auto' };
      return archiver(join(work, 'home'), [...args, '--json', '--quiet'], { env: { ...env, ...more } });
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
      writer = await server.addUser('fleet-nas', emitted('iam-policy.json'));
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
      // MinIO names whichever of the two conditions it meets first, in no order.
      expect(ofPolicy).toMatch(keepsVersions ? /s3:if-none-match|ArnLike/ : /^taken$/);
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

    it('access-check --try with the key of the writer says the same, and touches nothing of what is stored', async () => {
      const before = await versions();

      const ran = await run(writer, ['access-check', BASE, '--try', '--writer-id', 'nas'], {
        ARCHIVER_PROVIDER: provider,
      });

      expect(ran.status).toBe(0);
      const { promises, leftObjects } = JSON.parse(ran.stdout) as Tried;
      expect(Object.fromEntries(promises.map(({ name, state }) => [name, state]))).toEqual({
        stores: 'holds',
        lists: 'holds',
        'reads-nothing': 'holds',
        'creates-once': 'holds',
        'overwrites-nothing': 'broken',
        'deletes-nothing': 'holds',
        'versions-kept': keepsVersions ? 'holds' : 'broken',
        'versions-not-deleted': keepsVersions ? 'holds' : 'unknown',
        locked: 'unknown',
        'others-not-listed': 'holds',
        'others-not-read': 'unknown',
        'others-not-written': 'holds',
        'others-not-deleted': 'holds',
      });
      const advice = promises.find(({ name }) => name === 'overwrites-nothing')?.consequence;
      expect(advice).toContain(
        keepsVersions ? 'What was there stays as an earlier version' : 'Leave versioning off on Ceph',
      );
      expect(leftObjects).toEqual([
        expect.objectContaining({ key: expect.stringMatching(/^writers\/nas\/uploads\//) as string }),
      ]);
      // What the store is known to keep is asked anew, and written down again.
      expect((await lost(before)).filter((id) => !id.includes('/create-once.json '))).toEqual([]);
    });

    it('access-check --try with the key of an administrator says what locks what is stored', async () => {
      const ran = await run(admin, ['access-check', BASE, '--try'], { ARCHIVER_PROVIDER: provider });

      const { promises } = JSON.parse(ran.stdout) as Tried;
      expect(Object.fromEntries(promises.map(({ name, state }) => [name, state]))).toMatchObject({
        'reads-nothing': 'broken',
        'deletes-nothing': 'broken',
        'versions-kept': keepsVersions ? 'holds' : 'broken',
        // By its default retention.
        'versions-not-deleted': keepsVersions ? 'holds' : 'unknown',
        locked: keepsVersions ? 'holds' : 'broken',
      });
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
