// docs/fleet.md, followed literally: the commands of its blocks, in their order, on moto and on Ceph's gateway. What runs as a service is stopped
// after its first cycle or pass, and paths of the machine (/srv, /var) lie in a folder of the test.
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'docs', 'fleet.md'), 'utf8');
const blocksOf = (language: string): readonly string[] =>
  Array.from(
    text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\`$`, 'gm')),
    ([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

/** Runs the program; a service gets SIGTERM when it has said something of a cycle or a pass. */
const PROGRAM = `import { spawn } from 'node:child_process';
const words = process.argv.slice(2);
const child = spawn(process.execPath, [process.env.ARCHIVER_CLI, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
const isService = /^(fleetagent run|fleet monitor)$/.test(words.slice(0, 2).join(' ')) && !words.includes('--once');
for (const name of ['stdout', 'stderr'])
  child[name].on('data', (data) => {
    process[name].write(data);
    if (isService && /cycle|[0-9] writer/.test(data)) child.kill('SIGTERM');
  });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (status) => (process.exitCode = status ?? 99));
`;
/** \`aws s3 cp\`, for machines without the command line of AWS. */
const AWS = `import { readFileSync, writeFileSync } from 'node:fs';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
const [, , s3, cp, from, to, ...more] = process.argv;
if (s3 !== 's3' || cp !== 'cp' || more.length > 0) throw new Error('not known here: ' + process.argv.slice(2).join(' '));
const client = new S3Client({ forcePathStyle: true });
const place = (url) => { const [, Bucket, Key] = /^s3:..([^/]+).(.+)$/.exec(url); return { Bucket, Key }; };
if (to.startsWith('s3://')) await client.send(new PutObjectCommand({ ...place(to), Body: readFileSync(from) }));
else writeFileSync(to, await (await client.send(new GetObjectCommand(place(from)))).Body.transformToByteArray());
`;

describe.each([
  ['moto', process.env['ARCHIVER_TEST_MOTO']],
  ['Ceph', process.env['ARCHIVER_TEST_RGW']],
] as const)('docs/fleet.md on %s', (name, endpoint) => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-doc-'));
  const at = (path: string): string => join(work, path);
  const bucket = `doc-${randomBytes(4).toString('hex')}`;
  const env = {
    PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
    HOME: work,
    ARCHIVER_CLI: join(root, 'dist', 'cli.js'),
    AWS_ENDPOINT_URL: endpoint ?? '',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  };
  const client = new S3Client({
    endpoint: endpoint ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' },
  });

  /** The words of the document, with names of this place. */
  const here = (words: string): string =>
    words
      .replaceAll('acme-archive', bucket)
      .replaceAll('http://ceph.example.org:7480', endpoint ?? '')
      .replaceAll(/(?<=[\s:])\/(srv|var)\//g, `${work}/$1/`)
      .replace('region: eu-central-1', 'region: us-east-1')
      // Neither server has the class or the key of the example.
      .replaceAll(/^ *(?:kms_key_id|storage_class): .*\n/gm, '');
  const follow = async (commands: string): Promise<{ readonly status: number; readonly said: string }> => {
    const script = `set -euo pipefail\n${here(commands)}`;
    return await promisify(execFile)('bash', ['-c', script], { cwd: work, env, timeout: 60_000 }).then(
      ({ stdout, stderr }) => ({ status: 0, said: stdout + stderr }),
      (error: { code?: number; stdout?: string; stderr?: string }) => ({
        status: error.code ?? 99,
        said: `${error.stdout}${error.stderr}`,
      }),
    );
  };
  const block = (words: string): string => {
    const found = blocksOf('sh').filter((code) => code.includes(words));
    if (found.length !== 1) throw new Error(`${found.length} blocks of docs/fleet.md have ${words}`);
    return found[0] ?? '';
  };
  const keys = async (): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key);
  };

  beforeAll(async () => {
    if (endpoint === undefined) return;
    for (const folder of ['bin', 'srv/www', 'var/log/archive', 'var/lib/node_exporter/textfile', '.aws'])
      mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('srv/www/index.html'), 'hello');
    for (const [tool, code] of [
      ['archiver', PROGRAM],
      ['aws', AWS],
    ] as const) {
      writeFileSync(join(work, 'bin', `${tool}.mjs`), code);
      writeFileSync(join(work, 'bin', tool), `#!/bin/sh\nexec ${process.execPath} ${at(`bin/${tool}.mjs`)} "$@"\n`);
      chmodSync(join(work, 'bin', tool), 0o755);
    }
    execFileSync('ln', ['-s', join(root, 'node_modules'), at('node_modules')]);
    writeFileSync(
      at('.aws/credentials'),
      '[admin]\naws_access_key_id = archiver\naws_secret_access_key = archiver-secret\n',
    );
    writeFileSync(at('.aws/config'), '[profile admin]\nregion = us-east-1\n');
    writeFileSync(at('web-01.yaml'), here(blocksOf('yaml')[0] ?? ''));
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it.skipIf(endpoint === undefined)('configs are made, checked, signed and put', async () => {
    expect(await follow(block('config-keygen --out keys\n'))).toMatchObject({ status: 0 });
    expect(await follow(block('--baseline deployed.yaml'))).toMatchObject({ status: 0 });
    expect(await keys()).toEqual(['lab/fleet/web-01/config.yaml', 'lab/fleet/web-01/config.yaml.sig']);
  });

  it.skipIf(endpoint === undefined)('the agent runs in its three forms, and is seen by the monitor', async () => {
    expect(await follow(block('fleetagent run /srv/www'))).toMatchObject({ status: 0 });
    expect(await keys()).toContain('lab/writers/web-01/config-v00000012');

    const seen = await follow(block('fleet monitor s3://acme-archive/lab --textfile'));

    expect(seen).toMatchObject({ status: 0 });
    expect(readFileSync(at('var/lib/node_exporter/textfile/fleet.prom'), 'utf8')).toContain('archiver_fleet_up');
  });

  it.skipIf(endpoint === undefined)(
    'the key is changed by its four steps, and the old one is of no use then',
    async () => {
      const agent = `archiver fleetagent run --config-url s3://acme-archive/lab --writer-id web-01 --once --json --quiet --public-key`;
      const used = async (file: string): Promise<object> => {
        const { said } = await follow(`${agent} ${file} 2>/dev/null`);
        const { configVersion, troubles } = JSON.parse(said) as { configVersion: number; troubles: readonly string[] };
        return { configVersion, troubles };
      };
      const raise = (version: number): void => {
        const config = readFileSync(at('web-01.yaml'), 'utf8').replace(/^version: \d+/m, `version: ${version}`);
        writeFileSync(at('web-01.yaml'), config);
      };
      const publish = (key: string): string =>
        `archiver fleetagent sign-config web-01.yaml --key ${key}/config-signing-private.pem
${block('--key keys/config-signing-private.pem --key').split('\n').slice(2).join('\n')}`;
      const old = 'keys/config-signing-public.pem';
      // 1 and 2: machines still have the old key.
      expect(await follow(block('config-keygen --out keys-2'))).toMatchObject({ status: 0 });
      raise(13);
      expect(await follow(block('--key keys/config-signing-private.pem --key'))).toMatchObject({ status: 0 });
      expect(await used(old)).toEqual({ configVersion: 13, troubles: [] });
      // 3: both keys; who has stolen the old one signs a higher version.
      expect(await used('trusted.pem')).toEqual({ configVersion: 13, troubles: [] });
      raise(14);
      expect(await follow(publish('keys'))).toMatchObject({ status: 0 });
      expect(await used('trusted.pem')).toMatchObject({
        configVersion: 13,
        troubles: [expect.stringContaining('which is newer')],
      });
      // 4: the new key alone.
      expect(await used('keys-2/config-signing-public.pem')).toMatchObject({
        configVersion: 13,
        troubles: [expect.stringContaining('is the one that is trusted')],
      });
      expect(await follow(publish('keys-2'))).toMatchObject({ status: 0 });
      expect(await used('keys-2/config-signing-public.pem')).toEqual({ configVersion: 14, troubles: [] });
      // A machine that remembers nothing, and an old config with its signature.
      rmSync(at('.archiver'), { recursive: true });
      raise(13);
      expect(await follow(publish('keys-2'))).toMatchObject({ status: 0 });
      expect(await used('keys-2/config-signing-public.pem')).toMatchObject({
        configVersion: null,
        troubles: [expect.stringContaining('version 13, and 14 was in use already')],
      });
    },
  );

  it.skipIf(endpoint === undefined || name === 'Ceph')(
    'a bundle is made with an identity, which is taken down',
    async () => {
      expect(await follow(block('--writer-id nas-01 --public-key'))).toMatchObject({ status: 0 });
      const credentials = readFileSync(at('nas-01/credentials'), 'utf8');
      expect(await follow(block('--replaces nas-01'))).toMatchObject({ status: 0 });
      expect(readFileSync(at('nas-01-new/credentials'), 'utf8')).not.toBe(credentials);
      expect(await follow(block('scuttle nas-01'))).toMatchObject({ status: 0 });
    },
  );

  it.skipIf(endpoint === undefined)(
    'where there is no IAM of AWS, the data is deleted and the rest is said',
    async () => {
      const ran = await follow(block('scuttle nas-02').replaceAll('nas-02', 'web-01'));

      expect(ran).toMatchObject({ status: 0, said: expect.stringContaining('radosgw-admin user suspend') });
      expect(await keys()).toEqual([]);
    },
  );
});
