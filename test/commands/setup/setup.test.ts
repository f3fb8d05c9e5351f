import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { tlsFor } from '../../support/tls-for.js';
import { tunnelTo } from '../../support/tunnel-to.js';

const root = program();
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (argv: readonly string[], host: Partial<Parameters<typeof runCommand>[0]> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, ...host }, ['setup', ...argv]);
const unasked = (...argv: string[]): Promise<CommandRun> => run([...argv, '--non-interactive']);
const file = (name = '.archiver.yaml'): string => join(folder, name);
const text = (name?: string): string => readFileSync(file(name), 'utf8');

describe('without questions', () => {
  test('a folder in the home folder is the store, nothing of the checks stays, and an upload goes there', async () => {
    const { status, stdout, stderr } = await unasked();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/file'), 'content');
    const uploaded = await runCommand({ root, folder }, ['upload', './data', '--json']);

    expect([status, stdout]).toEqual([0, expect.stringContaining(`+   url: file://${folder}/archiver-store\n`)]);
    expect(stderr).toContain('the same byte for byte');
    expect(stdout).toMatch(/Next:\n {2}archiver upload .*\n {2}archiver upload .*\n {2}archiver dashboard\n$/);
    expect(text()).toContain(`storage:\n  url: file://${folder}/archiver-store\n`);
    expect(json(uploaded.stdout)).toMatchObject({ location: expect.stringContaining('/archiver-store/uploads/') });
    expect(readdirSync(join(folder, 'archiver-store')).some((name) => name.startsWith('archiver-setup'))).toBe(false);
  });

  test('the second time nothing is written', async () => {
    await unasked();
    const before = text();
    const again = await unasked('--json');

    expect(json(again.stdout)).toMatchObject({ changed: false, diff: [], file: file(), usability: 'all' });
    expect(text()).toBe(before);
  });

  test('it ends with what the store can do, within 80 columns, and then what to type', async () => {
    const { stdout } = await unasked();
    const { capabilities } = json((await unasked('--json')).stdout) as { capabilities: readonly { name: string }[] };

    expect(stdout).toMatch(/\nWhat this store can do:\n {2}\S+ +create-once +of two writers (.|\n)*\nNext:\n/);
    expect(stdout).toMatch(/ versions +a folder keeps none\n +Whoever may write to the folder can overwrite/);
    const table = stdout.slice(stdout.indexOf('What this store'), stdout.indexOf('Next:'));
    expect(table.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(capabilities.map(({ name }) => name)).toEqual(['create-once', 'versions', 'unfinished-uploads', 'clock']);
  });

  test('a config file is changed and not replaced; what contradicts goes', async () => {
    writeFileSync(file(), '# mine\nstorage:\n  bucket: old # the old one\n  prefix: p\nupload:\n  shardCount: 8\n');

    const { stdout } = await unasked('./store');

    expect(text()).toBe(`# mine\nstorage:\n  url: file://${folder}/store\nupload:\n  shardCount: 8\n`);
    expect(stdout).toContain('  -   bucket: old # the old one\n');
  });

  test('--output names the file, and the commands name it too', async () => {
    const { stdout } = await unasked('./store', '--output', './my conf.yaml', '--json');

    expect(json(stdout)).toMatchObject({
      file: file('my conf.yaml'),
      nextCommands: [
        `ARCHIVER_CONFIG='${file('my conf.yaml')}' archiver upload ./FOLDER --dry-run`,
        expect.anything(),
        expect.anything(),
      ],
    });
    expect(existsSync(file())).toBe(false);
  });

  test('a file of the current folder is left alone, and ARCHIVER_CONFIG is taken', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(file('.archiver.yaml'), '# of the folder\n');

    await run(['--non-interactive'], { userHome: join(folder, 'elsewhere') });
    await run(['./store', '--non-interactive'], { env: { ARCHIVER_CONFIG: file('named.yaml') } });

    expect(text()).toBe('# of the folder\n');
    expect(text('elsewhere/.archiver.yaml')).toContain('elsewhere/archiver-store');
    expect(text('named.yaml')).toContain(`url: file://${folder}/store`);
  });

  test('ARCHIVER_STORE names the store', async () => {
    await run(['--non-interactive'], { env: { ARCHIVER_STORE: `file://${folder}/mine` } });

    expect(text()).toContain(`url: file://${folder}/mine`);
  });

  test.each<[string, readonly string[], string, number, RegExp]>([
    [
      'a file that is not valid',
      ['./store'],
      'upload:\n  shardCout: 8\n',
      2,
      /shardCout is not a setting(.|\n)*config --edit/,
    ],
    [
      'a folder that cannot be',
      ['./.archiver.yaml/store'],
      '# mine\n',
      1,
      /cannot be used as it is; nothing was written/,
    ],
    ['flags of S3 for a folder', ['./store', '--region', 'x'], '# mine\n', 2, /--region/],
  ])('%s is refused, and stays as it is', async (_, argv, before, expected, message) => {
    writeFileSync(file(), before);

    const { status, stderr } = await unasked(...argv);

    expect([status, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(text()).toBe(before);
  });
});

describe('with questions', () => {
  test.each<[string, readonly string[], Partial<Parameters<typeof runCommand>[0]>, RegExp]>([
    ['no terminal', ['s3://acme'], {}, /needs a terminal(.|\n)*archiver setup --non-interactive s3:\/\/acme/],
    ['--json', ['--json'], { answers: [], columns: 80 }, /no --json/],
    ['a dumb one', [], { answers: [], columns: 80, env: { TERM: 'dumb' } }, /TERM is dumb/],
    ['CI', [], { answers: [], columns: 80, env: { CI: '1' } }, /where CI is set/],
  ])('%s: refused with what to type', async (_, argv, host, message) => {
    const { status, stdout, stderr } = await run(argv, host);

    expect([status, stdout + stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(file())).toBe(false);
  });
});

describe('a bucket', () => {
  const broken = useBrokenS3();
  const deny = (operation: string): void =>
    broken.proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  const onServer = (...argv: string[]): Promise<CommandRun> =>
    unasked('s3://bucket/p', '--endpoint-url', broken.proxy.endpoint, ...argv);

  test('is checked, tested and cleaned up, and settings are those that were given', async () => {
    const { status, stdout } = await onServer('--storage-class', 'GLACIER_IR', '--json');

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      usability: 'all',
      location: 's3://bucket/p',
      capabilities: expect.arrayContaining([
        expect.objectContaining({ name: 'versions', state: 'no', detail: 'versioning was never turned on' }),
      ]) as unknown,
    });
    expect(text()).toContain(
      `storage:\n  url: s3://bucket/p\n  storageClass: GLACIER_IR\naws:\n  endpointUrl: ${broken.proxy.endpoint}\n`,
    );
    // What it keeps is remembered there, once it is chosen.
    expect([...(broken.server.buckets.get('bucket')?.keys() ?? [])]).toEqual(['p/create-once.json']);
  });

  test.each([
    ['PutObject', 's3:PutObject'],
    ['ListObjectsV2', 's3:ListBucket'],
    ['GetObject', 's3:GetObject'],
    ['DeleteObjects', 's3:DeleteObject'],
  ])('%s that is denied is named as %s; only without PutObject nothing is written', async (operation, action) => {
    deny(operation);

    const { status, stderr } = await onServer();

    expect(stderr).toContain(`missing: ${action}`);
    expect([status, existsSync(file())]).toEqual(operation === 'PutObject' ? [1, false] : [0, true]);
  });

  test('that a variable of this shell puts on another server, while the file says AWS, is told of', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', AWS_ENDPOINT_URL: broken.proxy.endpoint };
    const { status, stderr } = await run(['s3://bucket/p', '--non-interactive'], { env });
    const named = await run(['s3://bucket/p', '--endpoint-url', broken.proxy.endpoint, '--non-interactive'], { env });

    expect(status).toBe(0);
    expect(stderr).toContain(`AWS_ENDPOINT_URL of this shell leads to ${broken.proxy.endpoint}, and the file says AWS`);
    expect(stderr).toContain('choose that server instead (--endpoint-url), or unset AWS_ENDPOINT_URL');
    expect(named.stderr).not.toContain('of this shell');
  });

  test('that is not there, or whose content comes back changed, is not taken', async () => {
    const gone = await unasked('s3://nowhere', '--endpoint-url', broken.proxy.endpoint);
    broken.proxy.inject({ operation: 'GetObject', fault: { kind: 'corrupt-response', byte: 3 } });
    const torn = await onServer();

    expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('nowhere')]);
    expect([torn.status, torn.stderr]).toEqual([1, expect.stringContaining('does not give back what was put')]);
    expect(existsSync(file())).toBe(false);
  });

  test('nothing of a test that fails in the middle stays', async () => {
    broken.proxy.inject({
      operation: 'GetObject',
      path: /manifest/,
      fault: { kind: 'status', status: 403, code: 'AccessDenied' },
    });

    const { status } = await onServer();

    expect([status, existsSync(file())]).toEqual([1, false]);
    expect([...(broken.server.buckets.get('bucket')?.keys() ?? [])]).toEqual([]);
  });

  test.each([
    ['check', /probe/],
    ['test', /manifest/],
  ])('nothing of the %s stays when it is interrupted', async (_, path) => {
    const ending = new AbortController();
    const when = (): boolean => {
      ending.abort();
      return true;
    };
    broken.proxy.inject({ operation: 'GetObject', path, when, times: 1, fault: { kind: 'no-answer' } });

    const argv = ['s3://bucket/p', '--endpoint-url', broken.proxy.endpoint, '--non-interactive'];
    const { status } = await run(argv, { signal: ending.signal });

    expect([status, existsSync(file())]).toEqual([130, false]);
    expect([...(broken.server.buckets.get('bucket')?.keys() ?? [])]).toEqual([]);
  });
});

describe('a provider', () => {
  const broken = useBrokenS3();
  const refused = async (...argv: string[]): Promise<string> => {
    const { status, stderr } = await unasked(...argv);
    expect([status, existsSync(file())]).toEqual([2, false]);
    return stderr;
  };
  /** The command with a world in which `host` is the server of this test. */
  const where = async (host: string, ...argv: string[]): Promise<CommandRun> => {
    const { endpoint, authority } = await tlsFor(host, broken.server.endpoint);
    const { proxy } = await tunnelTo(endpoint);
    return await run([...argv, '--non-interactive'], { env: { https_proxy: proxy, AWS_CA_BUNDLE: authority } });
  };

  test('fills in the address by its region, and both are written', async () => {
    const host = 's3.us-west-004.backblazeb2.com';
    const { status, stderr } = await where(host, 's3://bucket/p', '--provider', 'b2', '--region', 'us-west-004');

    expect(stderr).toContain('the same byte for byte');
    expect(status).toBe(0);
    expect(text()).toContain(
      `storage:\n  url: s3://bucket/p\naws:\n  endpointUrl: https://${host}\n  region: us-west-004\n`,
    );
    expect(text()).not.toContain('costControl');
    expect(broken.server.requests.at(-1)?.headers.authorization).toContain('/us-west-004/s3/');
  });

  test('has a usual region where it has one', async () => {
    await where('s3.us-east-1.wasabisys.com', 's3://bucket/p', '--provider', 'wasabi');

    expect(text()).toContain('endpointUrl: https://s3.us-east-1.wasabisys.com\n  region: us-east-1\n');
  });

  test('that the address does not tell is written, for prices and policies', async () => {
    const { endpoint } = broken.proxy;
    await unasked('s3://bucket/p', '--provider', 'garage', '--endpoint-url', endpoint);

    expect(text()).toContain(`  endpointUrl: ${endpoint}\n  region: garage\ncostControl:\n  provider: garage\n`);
    await unasked('s3://bucket/p', '--provider', 'minio', '--endpoint-url', endpoint);
    expect(text()).toContain('  region: us-east-1\ncostControl:\n  provider: minio\n');
  });

  test('whose classes are known is told of one that is not among them', async () => {
    const { endpoint } = broken.proxy;
    const given = ['--provider', 'garage', '--endpoint-url', endpoint, '--storage-class', 'GLACIER'];
    const { stderr } = await unasked('s3://bucket/p', ...given);

    expect(stderr).toContain('! Garage is not known to have GLACIER: its classes are STANDARD (docs/providers.md)');
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      'a region that nobody can guess',
      ['s3://bucket', '--provider', 'b2'],
      /names the region(.|\n)*--region us-west-004/,
    ],
    [
      'an account that stands in the address',
      ['s3://bucket', '--provider', 'r2'],
      /account id(.|\n)*--endpoint-url https:\/\/ACCOUNT-ID\.r2\.cloudflarestorage\.com/,
    ],
    [
      'the address of a program',
      ['s3://bucket', '--provider', 'minio'],
      /another address in each place(.|\n)*--endpoint-url http:\/\/localhost:9000/,
    ],
  ])('is refused without %s, with what to type', async (_, argv, message) => {
    expect(await refused(...argv)).toMatch(message);
  });

  test('is refused beside the address of another one, and for a folder', async () => {
    const other = ['--endpoint-url', 'https://s3.fr-par.scw.cloud'];

    expect(await refused('s3://bucket', '--provider', 'b2', '--region', 'x', ...other)).toContain(
      'is an address of Scaleway',
    );
    expect(await refused('./store', '--provider', 'b2')).toContain('--provider can do nothing for');
    expect(await refused('--provider', 'b2')).toContain('name the bucket: archiver setup s3://BUCKET --provider b2');
    expect(await refused('s3://bucket', '--provider', 'backblaze')).toContain('wants one of aws');
  });

  test('with an address that tells it all needs no flag: the region is filled in, and an older one goes', async () => {
    writeFileSync(file(), 'aws:\n  region: eu-west-1\n');
    const host = 's3.fr-par.scw.cloud';
    await where(host, 's3://bucket/p', '--endpoint-url', `https://${host}`);

    expect(text()).toBe(`aws:\n  region: fr-par\n  endpointUrl: https://${host}\nstorage:\n  url: s3://bucket/p\n`);
  });
});
