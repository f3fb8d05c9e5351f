// Writers on Garage, with its own keys (read, write, owner): what they can be kept from, what they cannot, and that `access-check --try` says so.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signConfig } from '../../src/core/fleet/config/signature.js';
import { type Garage, noGarage, startGarage } from '../servers/garage.js';
import type { S3Keys } from '../servers/s3-server.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

const BUCKET = 'fleet-garage';
const BASE = `s3://${BUCKET}/lab`;
const PLACE = `${BASE}/writers/nas`;
/** What `garage bucket allow` gives each of them. */
const RIGHTS = {
  write: ['--write'],
  read: ['--read'],
  owner: ['--owner'],
  both: ['--read', '--write'],
} as const;
type Name = keyof typeof RIGHTS;

interface Row {
  readonly name: string;
  readonly state: string;
  readonly consequence: string;
}

interface Checked {
  readonly findings: readonly {
    readonly check: string;
    readonly summary: string;
    readonly remediation: string | null;
  }[];
  readonly promises: readonly Row[];
  readonly leftObjects: readonly { readonly key: string }[];
}

const reason = noGarage() === undefined ? '' : ` (left out: ${noGarage()})`;

describe.skipIf(noGarage() !== undefined)(`a writer on Garage${reason}`, () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-fleet-garage-'));
  const source = join(work, 'source');
  const keys: Partial<Record<Name, S3Keys>> = {};
  let garage: Garage;
  let made: UploadDocument;

  const run = (name: Name, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> => {
    const { accessKeyId = '', secretAccessKey = '' } = keys[name] ?? {};
    const own = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const server = { AWS_ENDPOINT_URL: garage.endpoint, AWS_REGION: garage.region, ARCHIVER_CREATE_ONCE: 'auto' };
    // Homes of their own: what one key has seen is not remembered for another.
    const home = join(work, `home-${name}`);
    mkdirSync(home, { recursive: true });
    return archiver(home, [...args, '--json', '--quiet'], { env: { ...own, ...server, ...env } });
  };
  const client = (name: Name): S3Client => {
    const { endpoint, region } = garage;
    return new S3Client({ endpoint, region, forcePathStyle: true, maxAttempts: 1, credentials: keys[name]! });
  };
  const stored = async (prefix: string): Promise<readonly string[]> => {
    const { Contents = [] } = await client('both').send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }));
    return Contents.map(({ Key = '' }) => Key);
  };
  const tried = async (name: Name): Promise<Checked> => {
    const ran = await run(name, ['access-check', BASE, '--try', '--writer-id', 'nas'], { ARCHIVER_PROVIDER: 'garage' });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return JSON.parse(ran.stdout) as Checked;
  };
  const states = ({ promises }: Checked): Readonly<Record<string, string>> =>
    Object.fromEntries(promises.map(({ name, state }) => [name, state]));

  beforeAll(async () => {
    garage = await startGarage();
    await garage.control('bucket', 'create', BUCKET);
    for (const [name, rights] of Object.entries(RIGHTS)) {
      keys[name as Name] = await garage.addKey(name);
      await garage.control('bucket', 'allow', ...rights, BUCKET, '--key', name);
    }
    mkdirSync(source);
    for (const version of [1, 2]) {
      writeFileSync(join(source, `file-${version}`), `content of ${version}`);
      const ran = await run('both', ['sync', source, BASE, '--writer-id', 'nas']);
      if (ran.status !== 0) throw new Error(`version ${version}: ${ran.stdout} ${ran.stderr}`);
      made = JSON.parse(ran.stdout) as UploadDocument;
    }
  }, 120_000);

  afterAll(async () => {
    await garage?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  it('with a key that reads and writes syncs, and a key that only reads gets it back', async () => {
    const output = join(work, 'out');
    const restoring = ['restore', PLACE, output, '--all', '--dataset-id', made.datasetId, '--version', '2'];

    expect(await run('read', restoring)).toMatchObject({ status: 0 });
    expect(readdirSync(output).toSorted()).toEqual(['file-1', 'file-2']);
  });

  it('with a key that only writes is refused before anything is sent, since it may not list', async () => {
    const ran = await run('write', ['sync', source, BASE, '--writer-id', 'blind']);

    expect(ran).toMatchObject({ status: 4, stdout: expect.stringContaining('may not list it') as string });
    expect(await stored('lab/writers/blind/datasets/')).toEqual([]);
  });

  it('with a key that only writes archives where somebody vouches that it is the only one, and reads nothing', async () => {
    const vouched = { ARCHIVER_CREATE_ONCE: 'yes' };

    expect(await run('write', ['sync', source, BASE, '--writer-id', 'alone'], vouched)).toMatchObject({ status: 0 });

    const place = `${BASE}/writers/alone`;
    expect(await run('write', ['restore', place, join(work, 'none'), '--all'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('access denied') as string,
    });
    expect(await run('read', ['restore', place, join(work, 'alone'), '--all'])).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, 'alone', 'file-2'), 'utf8')).toBe('content of 2');
  });

  it('as an agent fetches its config and archives two cycles', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const folder = join(work, 'watched');
    mkdirSync(folder);
    writeFileSync(join(work, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const flags = ['--writer-id', 'agent', '--public-key', join(work, 'key.pub'), '--out', join(work, 'bundle')];
    const init = ['fleetagent', 'init', BASE, ...flags, '--endpoint-url', garage.endpoint, '--region', garage.region];
    expect(await run('both', [...init, '--provider', 'garage'])).toMatchObject({ status: 2 });
    expect(await run('both', [...init, '--provider', 'other'])).toMatchObject({ status: 0 });
    const config = Buffer.from(`version: 1\nwriter_id: agent\nwatch_paths:\n  - path: ${folder}\n`);
    const publish = { 'config.yaml': config, 'config.yaml.sig': signConfig(config, privateKey).bytes };
    for (const [name, Body] of Object.entries(publish))
      await client('both').send(new PutObjectCommand({ Bucket: BUCKET, Key: `lab/fleet/agent/${name}`, Body }));
    const unit = readFileSync(join(work, 'bundle', 'archiver-agent.service'), 'utf8');
    const [, words = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    const call = [...words.replace('/etc/archiver/agent', join(work, 'bundle')).split(' '), '--once'];

    for (const version of [1, 2]) {
      writeFileSync(join(folder, `file-${version}`), `of cycle ${version}`);
      const { status, stdout } = await run('both', call);
      expect([status, JSON.parse(stdout)]).toMatchObject([0, { isHealthy: true, sourceCycles: [{ version }] }]);
    }
  });

  const LOCKED = { locked: 'broken' };
  const WRITING = {
    ...LOCKED,
    stores: 'holds',
    'creates-once': 'broken',
    'overwrites-nothing': 'broken',
    'deletes-nothing': 'broken',
    'versions-kept': 'broken',
    'others-not-written': 'broken',
    'others-not-deleted': 'broken',
  };
  const NOT_WRITING = { ...LOCKED, stores: 'broken', 'others-not-written': 'holds', 'others-not-deleted': 'holds' };
  const OTHERS_READ = { 'others-not-listed': 'broken', 'others-not-read': 'broken' };

  it.each<[Name, Readonly<Record<string, string>>]>([
    ['both', { ...WRITING, lists: 'holds', 'reads-nothing': 'broken', ...OTHERS_READ }],
    [
      'write',
      {
        ...WRITING,
        lists: 'broken',
        'reads-nothing': 'holds',
        'others-not-listed': 'holds',
        'others-not-read': 'holds',
      },
    ],
    ['read', { ...NOT_WRITING, ...OTHERS_READ }],
    ['owner', { ...NOT_WRITING, 'others-not-listed': 'holds', 'others-not-read': 'unknown' }],
  ])('access-check --try says what a key with these rights keeps to: %s', async (name, expected) => {
    const before = await stored('lab/');

    const found = await tried(name);

    expect(states(found)).toMatchObject(expected);
    expect(found.leftObjects).toEqual([]);
    const after = await stored('lab/');
    expect(after.filter((key) => !before.includes(key) && !key.endsWith('create-once.json'))).toEqual([]);
    expect(before.filter((key) => !after.includes(key))).toEqual([]);
  });

  it('what it advises is to be had there', async () => {
    const { findings, promises } = await tried('both');
    const said = Object.fromEntries(promises.map(({ name, consequence }) => [name, consequence]));

    expect(findings.flatMap(({ remediation }) => (remediation === null ? [] : [remediation]))).toEqual([]);
    expect(findings.find(({ check }) => check === 'versioning')?.summary).toBe('the store has none');
    expect(said['overwrites-nothing']).toContain('It cannot be kept on Garage');
    expect(said['overwrites-nothing']).toContain('keep a copy where this key does not reach');
    expect(said['others-not-written']).toContain('Give each writer a bucket of its own.');
  });

  it('what it says cannot be kept is not: a key that only writes replaces a chunk, which verify --deep names', async () => {
    const verify = ['verify', `${PLACE}/uploads/${made.uploadId}`, '--deep'];
    expect(await run('read', verify)).toMatchObject({ status: 0 });
    const chunk = (await stored('lab/writers/nas/uploads/')).findLast((key) => key.includes(`${made.uploadId}/shard-`));

    await client('write').send(new PutObjectCommand({ Bucket: BUCKET, Key: chunk ?? '', Body: 'of a thief' }));

    expect(await run('read', verify)).toMatchObject({ status: 1 });
  });
});
