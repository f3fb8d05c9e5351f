import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { yamlOf } from '../../../support/fleet-config.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, ['fleetagent', ...argv]);
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
const write = (file: string, content: string): void => writeFileSync(join(folder, file), content);

describe('config-keygen', () => {
  test('makes a pair in a new folder, of which only the owner reads the private key', async () => {
    const { status, stdout } = await run('config-keygen', '--out', 'a/keys', '--json');

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      privateKeyFile: join(folder, 'a/keys/config-signing-private.pem'),
      publicKeyFile: join(folder, 'a/keys/config-signing-public.pem'),
      keyId: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
    });
    expect(statSync(join(folder, 'a/keys/config-signing-private.pem')).mode & 0o777).toBe(0o600);
    expect(text('a/keys/config-signing-private.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(text('a/keys/config-signing-public.pem')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  });

  test.each(['config-signing-private.pem', 'config-signing-public.pem'])(
    'does not overwrite %s, nor makes the other',
    async (name) => {
      write(name, 'mine');

      const { status, stderr } = await run('config-keygen');

      expect(status).toBe(1);
      expect(stderr).toContain(`${join(folder, name)} exists and is not overwritten`);
      expect(text(name)).toBe('mine');
      expect(
        ['config-signing-private.pem', 'config-signing-public.pem'].filter((one) => existsSync(join(folder, one))),
      ).toEqual([name]);
    },
  );

  test('says why it cannot write', async () => {
    write('file', '');

    const { status, stderr } = await run('config-keygen', '--out', 'file/keys');

    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot write')]);
  });
});

describe('sign-config', () => {
  beforeEach(async () => {
    await run('config-keygen');
    write('web-01.yaml', yamlOf());
  });

  const sign = (...argv: string[]): Promise<CommandRun> =>
    run('sign-config', '--key', 'config-signing-private.pem', ...argv);

  test('writes the signature beside the config, and over an older one', async () => {
    write('web-01.yaml.sig', 'old');

    const { status, stdout } = await sign('web-01.yaml', '--json');

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      file: join(folder, 'web-01.yaml'),
      signatureFile: join(folder, 'web-01.yaml.sig'),
      writerId: 'web-01',
      configVersion: 1,
    });
    expect(json(text('web-01.yaml.sig'))).toMatchObject({ algorithm: 'ed25519', keyId: json(stdout)['keyId'] });
    expect(await run('validate-config', 'web-01.yaml', '--public-key', 'config-signing-public.pem')).toMatchObject({
      status: 0,
    });
  });

  test('refuses a config with errors, and leaves the older signature', async () => {
    write('web-01.yaml', yamlOf({ version: 0, name: '' }));
    write('web-01.yaml.sig', 'old');

    const { status, stderr } = await sign('web-01.yaml');

    expect(status).toBe(1);
    expect(stderr).toContain('web-01.yaml has 2 errors and is not signed: line 1 column 10: version wants');
    expect(stderr).toContain('archiver fleetagent validate-config web-01.yaml');
    expect(text('web-01.yaml.sig')).toBe('old');
  });

  test.each(['web-01.yaml', 'config-signing-private.pem', './config-signing-private.pem'])(
    'does not write over %s',
    async (output) => {
      const before = text(output);

      const { status, stderr } = await sign('web-01.yaml', '-o', output);

      expect([status, stderr]).toEqual([2, expect.stringContaining('would overwrite the')]);
      expect(text(output)).toBe(before);
    },
  );

  test('needs --key, with a private key that nobody else reads', async () => {
    const without = await run('sign-config', 'web-01.yaml');
    const wrong = await run('sign-config', 'web-01.yaml', '--key', 'config-signing-public.pem');
    const missing = await run('sign-config', 'web-01.yaml', '--key', 'none.pem');
    chmodSync(join(folder, 'config-signing-private.pem'), 0o640);
    const open = await sign('web-01.yaml');

    expect([without.status, without.stderr]).toEqual([2, expect.stringContaining('--key')]);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('is not a private key')]);
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('none.pem (ENOENT)')]);
    expect([open.status, open.stderr]).toEqual([
      0,
      expect.stringContaining(
        'others may read the private key config-signing-private.pem: chmod 600 config-signing-private.pem',
      ),
    ]);
  });

  test('tells what is odd, and signs', async () => {
    write('web-01.yaml', yamlOf({ id: 'x' }));

    const { status, stderr } = await sign('web-01.yaml', '-o', 'elsewhere.sig');

    expect([status, stderr]).toEqual([0, expect.stringContaining('id is ignored')]);
    expect(existsSync(join(folder, 'elsewhere.sig'))).toBe(true);
  });
});

describe('validate-config', () => {
  const validate = (...argv: string[]): Promise<CommandRun> => run('validate-config', 'web-01.yaml', ...argv);

  test('says that a config is valid', async () => {
    write('web-01.yaml', yamlOf({ version: 7 }));

    const { status, stdout } = await validate();

    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('web-01.yaml is valid: version 7 of web-01, 1 folder\n'),
    ]);
  });

  test('names every error', async () => {
    write('web-01.yaml', yamlOf({ writer_id: '../x', watch_paths: [{ path: 'data' }] }));

    const { status, stdout } = await validate('--json');
    const shown = await validate();

    expect([status, shown.status]).toEqual([1, 1]);
    expect(json(stdout)).toMatchObject({
      ok: false,
      writerId: null,
      configVersion: null,
      keyId: null,
      errors: [
        { message: expect.stringMatching(/^line 2 column 12: writer_id cannot be/) },
        { message: expect.stringMatching(/^line 5 column 11: watch_paths\[0\]\.path must be absolute/) },
      ],
      warnings: [],
      widenings: null,
    });
    expect(shown.stdout).toMatch(/web-01\.yaml has 2 errors\n {2}error {5}line 2 column 12: writer_id/);
  });

  test('fails for warnings with --strict alone', async () => {
    write('web-01.yaml', yamlOf({ id: 'x' }));

    const [usual, strict] = [await validate(), await validate('--strict', '--json')];

    expect([usual.status, strict.status]).toEqual([0, 1]);
    expect(usual.stdout).toMatch(/is valid.*\n {2}warning {3}line \d+ column 1: id is ignored/);
    expect(json(strict.stdout)).toMatchObject({ ok: false, errors: [], warnings: [{ message: expect.any(String) }] });
  });

  test('compares with the deployed config, and fails for widening with --strict alone', async () => {
    write('deployed.yaml', yamlOf());
    write('web-01.yaml', yamlOf({ version: 2, watch_paths: [{ path: '/data' }, { path: '/etc' }] }));

    const usual = await validate('--baseline', 'deployed.yaml', '--json');
    const strict = await validate('--baseline', 'deployed.yaml', '--strict');

    expect([usual.status, strict.status]).toEqual([0, 1]);
    expect(json(usual.stdout)).toMatchObject({ ok: true, errors: [], widenings: ["'/etc' is new"] });
    expect(strict.stdout).toContain("  wider     '/etc' is new\n");
  });

  test('wants a higher version than that of the deployed config', async () => {
    write('deployed.yaml', yamlOf({ version: 2 }));
    write('web-01.yaml', yamlOf({ version: 2, scan_interval: '5m' }));
    const same = await validate('--baseline', 'deployed.yaml');
    write('web-01.yaml', yamlOf({ version: 1 }));
    const older = await validate('--baseline', 'deployed.yaml');
    write('web-01.yaml', yamlOf({ version: 2 }));
    const equal = await validate('--baseline', 'deployed.yaml', '--strict');

    expect([same.status, same.stdout]).toEqual([1, expect.stringContaining('both have version 2')]);
    expect([older.status, older.stdout]).toEqual([1, expect.stringContaining('version 1, and 2 was in use already')]);
    expect(equal.status).toBe(0);
  });

  test('refuses a baseline with errors', async () => {
    write('deployed.yaml', 'version: 1\n');
    write('web-01.yaml', yamlOf());

    const { status, stderr } = await validate('--baseline', 'deployed.yaml');

    expect([status, stderr]).toEqual([1, expect.stringContaining('the baseline deployed.yaml has errors: line 1')]);
  });

  test('checks the signature of exact bytes', async () => {
    await run('config-keygen');
    write('web-01.yaml', yamlOf());
    await run('sign-config', 'web-01.yaml', '--key', 'config-signing-private.pem', '-o', 'other.sig');
    const publicKey = ['--public-key', 'config-signing-public.pem'];

    const good = await validate(...publicKey, '--signature', 'other.sig', '--json');
    const unsigned = await validate(...publicKey);
    write('web-01.yaml', `${yamlOf()}\n`);
    const tampered = await validate(...publicKey, '--signature', 'other.sig');
    const wrong = await validate('--public-key', 'config-signing-private.pem', '--signature', 'other.sig');
    const noKey = await validate('--signature', 'other.sig');

    expect(good.status).toBe(0);
    expect(json(good.stdout)).toMatchObject({ ok: true, keyId: expect.stringMatching(/^sha256:/) });
    expect([unsigned.status, unsigned.stdout]).toEqual([
      1,
      expect.stringMatching(/the signature cannot be checked: cannot read .*web-01\.yaml\.sig \(ENOENT\)/),
    ]);
    expect([tampered.status, tampered.stdout]).toEqual([
      1,
      expect.stringContaining('is not what was signed with the key'),
    ]);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('holds a private key')]);
    expect([noKey.status, noKey.stderr]).toEqual([2, expect.stringContaining('--public-key')]);
  });

  test('says that a config cannot be read', async () => {
    const { status, stderr } = await validate();

    expect([status, stderr]).toEqual([1, expect.stringContaining('web-01.yaml (ENOENT)')]);
  });
});
