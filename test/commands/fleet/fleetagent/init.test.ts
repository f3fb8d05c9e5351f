import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommand } from '../../../../src/cli/parse-command.js';
import { command } from '../../../../src/commands/fleet/fleetagent/init.js';
import { configSchema } from '../../../../src/cli/config-tree.js';
import { parseConfig } from '../../../../src/core/config/parse-config.js';
import { program } from '../../../../src/commands/index.js';
import { command as agent } from '../../../../src/commands/fleet/fleetagent/run.js';
import { readRules } from '../../../../src/core/money/lifecycle/validate.js';
import { missingTools } from '../../../e2e/upload-cli.js';
import { type MemoryIam, startMemoryIam } from '../../../support/memory-iam.js';
import { useTestCredentials } from '../../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { treeOf } from '../../../support/tree-of.js';

const root = treeOf([command], [{ path: 'fleetagent', summary: 'writers' }], 'one command');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const USER = 'archiver-nas';
const AT_SERVER = ['--endpoint-url', 'https://s3.example.org'];
let folder = '';
let iam: MemoryIam;

const run = (...argv: string[]): Promise<CommandRun> => {
  return runCommand({ root, folder, env: { AWS_ENDPOINT_URL_IAM: iam.endpoint } }, ['fleetagent', 'init', ...argv]);
};
const init = (...argv: string[]): Promise<CommandRun> =>
  run('s3://acme/lab', '--writer-id', 'nas', '--public-key', 'key.pub', ...argv);
const file = (name: string): string => readFileSync(join(folder, 'nas', name), 'utf8');

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  writeFileSync(join(folder, 'key.pub'), PEM);
  iam = await startMemoryIam();
});
afterEach(() => iam.close());

describe('the folder', () => {
  test('has everything, and nothing was sent anywhere', async () => {
    const { status, stdout } = await init('--json');

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({ writerId: 'nas', folder: join(folder, 'nas'), minted: null });
    const names = [
      '.gitignore',
      'README.md',
      'archiver-nas.service',
      'archiver.yaml',
      'bucket-policy.json',
      'compose.yaml',
    ];
    expect(readdirSync(join(folder, 'nas')).toSorted()).toEqual(
      [...names, 'config-signing-public.pem', 'config.yaml', 'iam-policy.json', 'lifecycle.json'].toSorted(),
    );
    expect(file('config-signing-public.pem')).toBe(PEM);
    expect(iam.asked).toEqual([]);
  });

  test('has a lifecycle rule that `archiver lifecycle --import` takes', async () => {
    await init();

    expect(readRules(JSON.parse(file('lifecycle.json')))).toMatchObject({
      problems: [],
      rules: [
        { Filter: { Prefix: 'lab/' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
        {
          Filter: { Prefix: 'lab/writers/nas/status.json' },
          NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        },
      ],
    });
    // A template replaces the rules that it has made, and not this one.
    expect(file('lifecycle.json')).toMatch(/"archiver-heartbeats-[0-9a-f]{8}-nas"/);
  });

  test('has settings for the machine that are taken as they are, and with what they propose', async () => {
    await init();
    const settings = file('archiver.yaml');
    const proposed = settings.replaceAll(/^# (?=\S*:|  )/gm, '');

    for (const text of [settings, proposed]) {
      writeFileSync(join(folder, 'archiver.yaml'), text);
      const { problems } = await parseConfig(Buffer.from(text), configSchema(program()));
      expect(problems).toEqual([]);
    }
    expect(proposed).toContain('\n  before: ["/usr/local/bin/dump-database"');
    expect(proposed).toContain('\n    pingUrl: https');
    expect(file('archiver-nas.service')).toContain('Environment=ARCHIVER_CONFIG=/etc/archiver/nas/archiver.yaml\n');
    expect(file('README.md')).toContain(
      'install -m 600 credentials config-signing-public.pem archiver.yaml /etc/archiver/nas',
    );
    expect(parse(file('compose.yaml'))).toMatchObject({
      services: { archiver: { environment: { ARCHIVER_CONFIG: '/etc/archiver/archiver.yaml' } } },
    });
  });

  test('has a service without a schedule of its own, which the signed config has', async () => {
    await init();

    const unit = file('archiver-nas.service');
    expect(unit).not.toContain('--once');
    expect(unit).not.toContain('--interval');
    expect(unit).toMatch(/^Restart=always$/m);
    expect(readdirSync(join(folder, 'nas')).filter((name) => name.endsWith('.timer'))).toEqual([]);
    expect(file('README.md')).not.toContain('.timer');
  });

  test.each([
    ['90d', 'weekly'],
    ['1y', 'monthly'],
    ['7d', 'daily'],
    ['2d', 'hourly'],
  ])('locks for %s are extended %s, by the operator', async (retain, calendar) => {
    await init('--object-lock', 'compliance', '--retain', retain === '1y' ? '365d' : retain);

    const until = retain === '1y' ? '365d' : retain;
    expect(file('archiver-lock-extend-acme-lab.timer')).toContain(`OnCalendar=${calendar}\n`);
    expect(file('archiver-lock-extend-acme-lab.service')).toContain(
      `ExecStart=/usr/local/bin/archiver fleet lock-extend s3://acme/lab --until ${until} --object-lock compliance --region us-west-2 --yes\n`,
    );
    expect(file('README.md')).toContain('systemctl enable --now archiver-lock-extend-acme-lab.timer');
  });

  describe('for a server that is not AWS', () => {
    test.each([
      ['minio', ['README.md', 'iam-policy.json', 'lifecycle.json'], ['bucket-policy.json', 'operator-policy.json']],
      ['ceph', ['README.md', 'iam-policy.json', 'lifecycle.json', 'operator-policy.json'], ['bucket-policy.json']],
      ['other', ['README.md', 'iam-policy.json'], ['bucket-policy.json', 'lifecycle.json']],
    ])('%s has what that understands, and says what is not kept', async (provider, there, missing) => {
      const { status, stderr } = await init(...AT_SERVER, '--provider', provider);

      const names = readdirSync(join(folder, 'nas'));
      const readme = file('README.md');
      expect(status).toBe(0);
      expect(names).toEqual(expect.arrayContaining(there));
      for (const name of missing) {
        expect(names).not.toContain(name);
        expect(readme).not.toContain(name);
      }
      expect(readme).toContain('| this key overwrites no chunk, manifest or record | **not kept**: ');
      expect(stderr).toContain('nothing in the bundle keeps this writer from overwriting what is stored');
      expect(readme).not.toContain('aws iam create-user');
      expect(readme).toMatch(
        /^archiver fleetagent scuttle nas --endpoint-url .* --purge-data s3:\/\/acme\/lab --yes$/m,
      );
    });

    test('one that is not named is taken for none that is known', async () => {
      const { stderr } = await init(...AT_SERVER);

      expect(stderr).toContain('MinIO and Ceph are named by --provider');
      expect(file('README.md')).toContain('Nothing of this has been tried on your server.');
      expect(file('README.md')).toMatch(
        /^AWS_SHARED_CREDENTIALS_FILE=credentials archiver access-check s3:\S+ --try --writer-id \S+$/m,
      );
    });

    test('whoever is known by the address is not asked for: its policies, or why there are none', async () => {
      const b2 = await init('--endpoint-url', 'https://s3.us-west-004.backblazeb2.com');
      const wasabi = await init('--endpoint-url', 'https://s3.eu-central-1.wasabisys.com');

      expect([b2.status, b2.stderr]).toEqual([
        2,
        expect.stringContaining('no policies can be written for Backblaze B2'),
      ]);
      expect(b2.stderr).toContain('docs/providers.md#backblaze-b2');
      expect([wasabi.status, existsSync(join(folder, 'nas/lifecycle.json'))]).toEqual([0, false]);
    });

    test('who has no policies gets the rest of a bundle as another server', async () => {
      const { status } = await init('--endpoint-url', 'https://s3.us-west-004.backblazeb2.com', '--provider', 'other');

      expect([status, file('README.md')]).toEqual([0, expect.stringContaining('**not kept**')]);
    });

    test('the region is that of the address, unless one is named', async () => {
      await init('--endpoint-url', 'https://s3.eu-central-1.wasabisys.com');
      const told = file('config.yaml');
      await init('--endpoint-url', 'https://s3.eu-central-1.wasabisys.com', '--region', 'us-east-2', '--out', 'other');

      expect(told).toContain('region: "eu-central-1"');
      expect(readFileSync(join(folder, 'other/config.yaml'), 'utf8')).toContain('region: "us-east-2"');
    });

    test("Ceph's README turns no versioning on, with which writers make no versions there", async () => {
      await init(...AT_SERVER, '--provider', 'ceph');

      expect(file('README.md')).not.toContain('put-bucket-versioning');
      expect(file('README.md')).toContain('| what was overwritten can be had back | **not kept**: ');
      expect(file('README.md')).toContain('archiver access-check s3://acme/lab');
    });

    test('AWS by an address of its own is AWS', async () => {
      const { stderr } = await init('--endpoint-url', 'https://s3.dualstack.us-west-2.amazonaws.com');

      expect(stderr).toBe('');
      expect(file('README.md')).toContain('bucket-policy.json (step 2)');
    });
  });

  test('has a writer that locks what it puts, and may', async () => {
    const { status } = await init('--object-lock', 'governance', '--retain', '90d');

    expect(status).toBe(0);
    const words = ['--object-lock', 'governance', '--retain', '90d'];
    expect(file('compose.yaml')).toContain(words.map((word) => `      - "${word}"`).join('\n'));
    expect(file('archiver-nas.service')).toContain(`${words.join(' ')}\n`);
    expect(json(file('iam-policy.json'))['Statement']).toMatchObject([
      { Action: ['s3:PutObject', 's3:PutObjectRetention'] },
      {},
      {},
      { Effect: 'Deny', Action: expect.not.arrayContaining(['s3:PutObjectRetention']) as string[] },
    ]);
    expect(file('iam-policy.json')).toContain('s3:BypassGovernanceRetention');
  });

  test('has a configuration of the writer that waits for its folders', async () => {
    await init('--kms-key-arn', KEY, '--region', 'eu-west-1');

    expect(parse(file('config.yaml'))).toMatchObject({
      version: 1,
      writer_id: 'nas',
      store: 's3://acme/lab',
      region: 'eu-west-1',
      kms_key_id: KEY,
      watch_paths: [{ path: '' }],
    });
    expect(file('iam-policy.json')).toContain('kms:GenerateDataKey');
    expect(file('iam-policy.json')).not.toContain('kms:Decrypt');
  });

  test('has ids that YAML would take for numbers as texts', async () => {
    await run('s3://123456/1e5', '--writer-id', '0x10', '--public-key', 'key.pub', '--out', 'nas');

    expect(parse(file('config.yaml'))).toMatchObject({ writer_id: '0x10', store: 's3://123456/1e5' });
  });

  test('has a container with nothing but its state to write to, and credentials in a file', async () => {
    await init('--endpoint-url', 'https://minio.example.org/$HOME');

    const { services, secrets, volumes } = parse(file('compose.yaml')) as {
      readonly services: { readonly archiver: Readonly<Record<string, unknown>> };
      readonly secrets: object;
      readonly volumes: object;
    };
    expect(services.archiver).toMatchObject({
      command: (
        'fleetagent run --config-url s3://acme/lab --writer-id nas ' +
        '--public-key /etc/archiver/config-signing-public.pem --region us-west-2'
      ).split(' '),
      user: '1000:1000',
      read_only: true,
      cap_drop: ['ALL'],
      pull_policy: 'never',
      environment: {
        ARCHIVER_HOME: '/var/lib/archiver',
        AWS_SHARED_CREDENTIALS_FILE: '/run/secrets/archiver-credentials',
        AWS_ENDPOINT_URL: 'https://minio.example.org/$$HOME',
      },
      secrets: ['archiver-credentials'],
    });
    expect(services.archiver['image']).toMatch(/^archiver:\d/);
    expect(secrets).toEqual({ 'archiver-credentials': { file: './credentials' } });
    expect(volumes).toEqual({ state: {} });
    expect(file('compose.yaml')).not.toMatch(/AWS_(ACCESS|SECRET)/);
  });

  test('starts an agent with words that it takes', async () => {
    await init('--object-lock', 'governance', '--retain', '90d');
    const { services } = parse(file('compose.yaml')) as {
      readonly services: { readonly archiver: { readonly command: readonly string[] } };
    };
    const [, unit = ''] = /^ExecStart=\S+ (.*)$/m.exec(file('archiver-nas.service')) ?? [];

    for (const words of [services.archiver.command, unit.split(' ')]) {
      expect(words.slice(0, 2)).toEqual(['fleetagent', 'run']);
      const parsed = await parseCommand(agent, {
        argv: words.slice(2),
        env: {},
        config: async () => () => undefined,
      });
      expect(parsed?.values).toMatchObject({ configUrl: 's3://acme/lab', writerId: 'nas', region: 'us-west-2' });
    }
  });

  test('names the image that was given, which may come from a registry', async () => {
    await init('--image', 'registry.example.org/archiver:1.2');

    expect(file('compose.yaml')).toContain('image: "registry.example.org/archiver:1.2"');
    expect(file('compose.yaml')).not.toContain('pull_policy');
    expect(file('README.md')).not.toContain('docker build');
  });

  test('has a README whose identity made by hand is one that --mint and scuttle know, in the partition of the region', async () => {
    await init('--region', 'cn-north-1', '--provider', 'aws', '--endpoint-url', 'https://minio.example.org/a b');

    const tags = '[{"Key":"archiver-writer","Value":"nas"},{"Key":"archiver-fleet","Value":"s3://acme/lab"}]';
    expect(file('README.md').split(`--tags '${tags}'`)).toHaveLength(3);
    expect(file('README.md')).toContain('"arn:aws-cn:iam::$ACCOUNT:policy/archiver/archiver-nas-write"');
    expect(file('README.md')).toContain("export AWS_ENDPOINT_URL='https://minio.example.org/a b'\n");
  });

  test.skipIf(missingTools('systemd-analyze').length > 0)(
    'has units that systemd finds nothing wrong with',
    async () => {
      await init('--endpoint-url', 'https://minio.example.org/%41', '--object-lock', 'governance', '--retain', '90d');
      const units = readdirSync(join(folder, 'nas')).filter((name) => /\.(service|timer)$/.test(name));
      // The program is not installed here.
      for (const name of units)
        writeFileSync(join(folder, 'nas', name), file(name).replace('/usr/local/bin/archiver', process.execPath));

      const paths = units.map((name) => join(folder, 'nas', name));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });

      process.stderr.write(`systemd-analyze verify: ${units.length} units of a bundle checked\n`);
      expect(units.length).toBe(3);
      expect(stdout + stderr).toBe('');
    },
  );

  test('is never written over another, and nothing in that changes', async () => {
    mkdirSync(join(folder, 'nas'));
    writeFileSync(join(folder, 'nas', 'credentials'), 'of before');

    const { status, stderr } = await init('--mint');

    expect(status).toBe(1);
    expect(stderr).toContain('exists, and a bundle is never written over another');
    expect(readdirSync(join(folder, 'nas'))).toEqual(['credentials']);
    expect(iam.asked).toEqual([]);
  });

  test.each([
    ['a private key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'holds a private key'],
    [
      'another kind of key',
      generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'key.pub is a key of the kind x25519',
    ],
    ['no key', 'hello', 'key.pub is not a public key in PEM'],
  ])('with %s for the public one is not made', async (_name, text, words) => {
    writeFileSync(join(folder, 'key.pub'), text);

    const { status, stderr } = await init();

    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(existsSync(join(folder, 'nas'))).toBe(false);
  });

  test.each([
    [['s3://acme', '--writer-id', 'nas'], '--public-key'],
    [['s3://acme', '--public-key', 'key.pub'], '--writer-id'],
    [['s3://acme', '--writer-id', 'w'.repeat(56), '--public-key', 'key.pub'], 'IAM takes 64'],
    [['file:///srv', '--writer-id', 'nas', '--public-key', 'key.pub'], 'is a folder, and IAM'],
    [['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--image', 'a b'], 'is not the name of an image'],
    [
      ['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--endpoint-url', 'minio'],
      'is not the address of a server',
    ],
    [['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--profile', 'x'], '--mint'],
    [['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--provider', 'minio'], 'needs --endpoint-url'],
    [
      ['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--provider', 'garage', ...AT_SERVER],
      'Garage has no policies',
    ],
    [
      ['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--provider', 'garage', ...AT_SERVER],
      'give each writer a bucket and a key of its own (docs/providers.md#garage); --provider other writes the rest of the bundle',
    ],
    [
      ['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--provider', 'storj', ...AT_SERVER],
      'no policies can be written for Storj: Storj has access grants, and no policies',
    ],
    [
      ['s3://acme', '--writer-id', 'nas', '--public-key', 'key.pub', '--kms-key-arn', KEY, ...AT_SERVER],
      '--kms-key-arn is about keys of AWS',
    ],
  ])('%j is refused', async (argv, words) => {
    const { status, stderr } = await run(...argv);

    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('--mint', () => {
  const nothing = (): void => {
    expect([iam.users.size, iam.policies.size, existsSync(join(folder, 'nas'))]).toEqual([0, 0, false]);
  };

  test('makes a tagged user with the policy of the bundle and one key, which nobody else may read', async () => {
    const { status, stdout } = await init('--mint', '--json');

    const user = iam.users.get(USER)!;
    const [policy] = [...iam.policies.values()];
    expect(status).toBe(0);
    expect(json(stdout)['minted']).toMatchObject({
      userName: USER,
      userArn: user.arn,
      isAdopted: false,
      olderKeys: [],
    });
    expect(user.arn).toContain(':user/archiver/archiver-nas');
    expect(user.tags).toEqual(
      new Map([
        ['archiver-writer', 'nas'],
        ['archiver-fleet', 's3://acme/lab'],
      ]),
    );
    expect(user.attached).toEqual([policy?.arn]);
    expect(JSON.parse(policy?.versions.get('v1') ?? '')).toEqual(JSON.parse(file('iam-policy.json')));
    expect(file('credentials')).toBe(
      `[default]\naws_access_key_id = ${user.keys[0]}\naws_secret_access_key = secret-of-${user.keys[0]}\n`,
    );
    expect(statSync(join(folder, 'nas', 'credentials')).mode & 0o777).toBe(0o600);
    expect(stdout).not.toContain('secret-of');
  });

  test.each(['CreatePolicy', 'CreateUser', 'AttachUserPolicy', 'CreateAccessKey', 'ListAccessKeys'])(
    'leaves nothing behind when %s fails',
    async (action) => {
      iam.fail(action, 'AccessDenied');

      const { status, stderr } = await init('--mint');

      expect(status).toBe(1);
      expect(stderr).toContain(
        action === 'ListAccessKeys' ? 'iam:ListAccessKeys' : `the credentials need iam:${action}`,
      );
      if (action === 'ListAccessKeys') iam.heal();
      nothing();
    },
  );

  test('leaves nothing behind when the answer with the key is lost', async () => {
    iam.fail('CreateAccessKey', 'ServiceFailure', true);

    expect((await init('--mint')).status).toBe(1);

    expect(iam.asked).toContain('DeleteAccessKey');
    nothing();
  });

  describe('--replaces', () => {
    const replace = (...argv: string[]): Promise<CommandRun> =>
      run('s3://acme/lab', '--replaces', 'nas', '--public-key', 'key.pub', '--out', 'new', ...argv);

    test('goes on as the same writer, with a new key, and the older ones are deleted', async () => {
      await init('--mint');
      const [older = ''] = iam.users.get(USER)!.keys;

      const { status, stdout, stderr } = await replace('--mint', '--json');

      const keys = iam.users.get(USER)!.keys;
      expect([status, stderr, keys.length]).toEqual([0, '', 1]);
      expect(json(stdout)).toMatchObject({ writerId: 'nas', minted: { deletedKeys: [older], olderKeys: [] } });
      expect(keys).not.toContain(older);
      const readme = readFileSync(join(folder, 'new/README.md'), 'utf8');
      expect(readme).toContain('Its access keys are deleted');
      expect(readme).toContain('to the absolute path of each folder');
    });

    test('names a key that could not be deleted, and the bundle is whole', async () => {
      await init('--mint');
      const [older = ''] = iam.users.get(USER)!.keys;
      iam.fail('DeleteAccessKey', 'AccessDenied');

      const { status, stderr } = await replace('--mint');

      expect(status).toBe(0);
      expect(stderr).toContain(`its older access keys still work: ${older}`);
      expect(existsSync(join(folder, 'new/credentials'))).toBe(true);
    });

    test('without --mint says that the key is to be revoked, and is one writer', async () => {
      await replace();
      expect(readFileSync(join(folder, 'new/README.md'), 'utf8')).toContain('Revoke its access key by hand');
      expect(await replace('--writer-id', 'other')).toMatchObject({ status: 2 });
      await init();
      expect(file('README.md')).not.toContain('In place of the machine before');
    });
  });

  test('says what is left when it cannot be undone, and how to remove it', async () => {
    iam.fail('CreateAccessKey', 'AccessDenied');
    iam.fail('DeleteUser', 'AccessDenied');

    const { status, stderr } = await init('--mint');

    expect(status).toBe(1);
    expect(stderr).toContain('could not be undone: user archiver-nas');
    expect(stderr).toContain('archiver fleetagent scuttle nas');
  });

  test('takes over what it made for this writer and fleet before, with the policy of now, and names the older key', async () => {
    await init('--mint');
    const [older] = iam.users.get(USER)!.keys;

    const { status, stdout, stderr } = await init(
      '--mint',
      '--json',
      '--out',
      'again',
      '--kms-key-arn',
      KEY,
      '--region',
      'eu-west-1',
    );

    const [policy] = [...iam.policies.values()];
    expect(status).toBe(0);
    expect(json(stdout)['minted']).toMatchObject({ isAdopted: true, olderKeys: [older] });
    expect(stderr).toContain(`its older access keys still work: ${older}`);
    expect([...policy!.versions]).toEqual([['v2', expect.stringContaining(KEY) as string]]);
  });

  test('does not take away what was there when a later step fails', async () => {
    await init('--mint');
    const { keys, attached } = structuredClone(iam.users.get(USER)!);
    iam.fail('CreateAccessKey', 'ServiceFailure', true);

    expect((await init('--mint', '--out', 'again')).status).toBe(1);

    expect(iam.users.get(USER)).toMatchObject({ keys, attached });
    expect(iam.policies.size).toBe(1);
  });

  test.each([
    [
      'of another fleet',
      new Map([
        ['archiver-writer', 'nas'],
        ['archiver-fleet', 's3://other'],
      ]),
      'belongs to the writer of this name in s3://other',
    ],
    ['of somebody else', new Map(), 'was not made by archiver'],
  ])('refuses a user %s', async (_name, tags, words) => {
    const arn = 'arn:aws:iam::123456789012:user/archiver/archiver-nas';
    iam.users.set(USER, { arn, tags, keys: ['AKIAOLD'], attached: [], inline: [], groups: [] });

    const { status, stderr } = await init('--mint');

    expect(status).toBe(1);
    expect(stderr).toContain(words);
    expect(iam.users.get(USER)).toMatchObject({ keys: ['AKIAOLD'], attached: [] });
    expect(iam.policies.size).toBe(0);
  });

  test('says that a user has two keys already, which is all that IAM gives', async () => {
    await init('--mint');
    await init('--mint', '--out', 'second');

    const { status, stderr } = await init('--mint', '--out', 'third');

    expect(status).toBe(1);
    expect(stderr).toContain('a user has at most two access keys');
    expect(existsSync(join(folder, 'third'))).toBe(false);
  });
});
