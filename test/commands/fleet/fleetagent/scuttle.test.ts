import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../../../src/commands/fleet/fleetagent/scuttle.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { type MemoryIam, startMemoryIam } from '../../../support/memory-iam.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { treeOf } from '../../../support/tree-of.js';

const root = treeOf([command], [{ path: 'fleetagent', summary: 'writers' }], 'one command');
const USER = 'archiver-nas';
const POLICY = 'arn:aws:iam::123456789012:policy/archiver/archiver-nas-write';
const FOREIGN = 'arn:aws:iam::123456789012:policy/ReadEverything';
const TAGS = new Map([
  ['archiver-writer', 'nas'],
  ['archiver-fleet', 's3://bucket/p'],
]);
const s3 = useBrokenS3();
let iam: MemoryIam;
let folder = '';

const run = (...argv: string[]): Promise<CommandRun> => {
  const env = { AWS_ENDPOINT_URL_IAM: iam.endpoint, AWS_ENDPOINT_URL_S3: s3.proxy.endpoint, AWS_REGION: 'us-east-1' };
  return runCommand({ root, folder, env }, ['fleetagent', 'scuttle', ...argv]);
};

function addWriter(tags: ReadonlyMap<string, string> = TAGS): void {
  const arn = `arn:aws:iam::123456789012:user/archiver/${USER}`;
  iam.policies.set(POLICY, {
    arn: POLICY,
    tags,
    versions: new Map([
      ['v1', '{}'],
      ['v2', '{}'],
    ]),
  });
  iam.policies.set(FOREIGN, { arn: FOREIGN, tags: new Map(), versions: new Map([['v1', '{}']]) });
  const attached = [POLICY, FOREIGN];
  iam.users.set(USER, { arn, tags, keys: ['AKIA1', 'AKIA2'], attached, inline: ['extra'], groups: ['people'] });
}

beforeEach(async () => {
  folder = await tempFolder();
  iam = await startMemoryIam();
});
afterEach(() => iam.close());

describe('the identity', () => {
  test('goes with everything that hangs on it; policies of others stay', async () => {
    addWriter();

    const { status, stdout } = await run('nas', '--json');

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      userName: USER,
      isUserDeleted: true,
      isPolicyDeleted: true,
      deletedKeys: ['AKIA1', 'AKIA2'],
      detachedPolicies: [FOREIGN],
      purged: null,
    });
    expect(iam.users.size).toBe(0);
    expect([...iam.policies.keys()]).toEqual([FOREIGN]);
    expect(iam.asked.indexOf('DeleteAccessKey')).toBeLessThan(iam.asked.indexOf('DetachUserPolicy'));
  });

  test('is gone the second time, which is no failure', async () => {
    addWriter();
    await run('nas');

    const { status, stdout } = await run('nas');

    expect(status).toBe(0);
    expect(stdout).toBe('there is no IAM user archiver-nas\nthere is no policy of it\n');
  });

  test.each([
    'DeleteAccessKey',
    'DetachUserPolicy',
    'DeleteUserPolicy',
    'DeleteUser',
    'DeletePolicyVersion',
    'DeletePolicy',
  ])('is finished by another run where %s was refused', async (action) => {
    addWriter();
    iam.fail(action, 'AccessDenied');
    const refused = await run('nas');
    iam.heal();

    const again = await run('nas');

    expect([refused.status, again.status]).toEqual([1, 0]);
    expect(refused.stderr).toContain(`iam:${action}`);
    expect([iam.users.size, iam.policies.has(POLICY)]).toEqual([0, false]);
  });

  test('of somebody else is not touched', async () => {
    addWriter(new Map());

    const { status, stderr } = await run('nas');

    expect(status).toBe(1);
    expect(stderr).toContain('was not made by `fleetagent init --mint`; nothing was deleted');
    expect(iam.users.get(USER)).toMatchObject({ keys: ['AKIA1', 'AKIA2'], attached: [POLICY, FOREIGN] });
  });

  test('keeps a policy that somebody else uses, and says so', async () => {
    addWriter();
    iam.users.set('ann', { arn: 'ann', tags: new Map(), keys: [], attached: [POLICY], inline: [], groups: [] });

    const { status, stderr } = await run('nas');

    expect(status).toBe(1);
    expect(stderr).toContain('is attached to somebody else and was kept');
    expect(stderr).toContain('list-entities-for-policy');
    expect([iam.users.has(USER), iam.policies.has(POLICY)]).toEqual([false, true]);
  });
});

describe('--purge-data', () => {
  const own = [
    'writers/nas/uploads/20251114-093012-1a2b3c4d/manifest.json.gz',
    'writers/nas/status.json',
    'fleet/nas/config.yaml',
  ];
  const others = [
    'writers/nas2/status.json',
    'writers/nas/notes.txt',
    'fleet/nas2/config.yaml',
    'uploads/20251114-093012-1a2b3c4d/manifest.json.gz',
  ];
  const left = (): readonly string[] =>
    [...(s3.server.buckets.get('bucket')?.keys() ?? [])].map((key) => key.slice(2)).toSorted();

  beforeEach(() => {
    for (const key of [...own, ...others]) s3.put(key, '0123456789');
  });

  test('without --yes deletes nothing, of the identity neither', async () => {
    addWriter();

    const { status, stderr } = await run('nas', '--purge-data', 's3://bucket/p');

    expect(status).toBe(2);
    expect(stderr).toContain('it needs --yes');
    expect([iam.asked, left().length]).toEqual([[], 7]);
  });

  test('deletes what the writer stored and its configuration, and nothing of others, after the identity', async () => {
    addWriter();

    const { status, stdout, stderr } = await run('nas', '--purge-data', 's3://bucket/p', '--yes', '--json');

    expect(status).toBe(0);
    expect(stderr).toContain('s3://bucket/p holds 3 objects (1 upload)');
    expect(json(stdout)).toMatchObject({
      isUserDeleted: true,
      purged: { deletedObjects: 3, deletedBytes: 30, leftAlone: 1, leftAloneSamples: ['writers/nas/notes.txt'] },
    });
    expect(left()).toEqual(others.toSorted());
    expect(iam.users.size).toBe(0);
  });

  test('deletes no data while the identity cannot be deleted', async () => {
    addWriter();
    iam.fail('DeleteAccessKey', 'AccessDenied');

    const { status } = await run('nas', '--purge-data', 's3://bucket/p', '--yes');

    expect([status, left().length]).toEqual([1, 7]);
  });

  test.each([
    ['file:///srv/backup', 'is a folder'],
    ['s3://bucket/p/writers/nas', 'its base is wanted'],
    ['bucket', 'is not a store URL'],
  ])('%s is refused', async (url, words) => {
    const { status, stderr } = await run('nas', '--purge-data', url, '--yes');

    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(iam.asked).toEqual([]);
  });
});

test.each(['*', '../nas', 'auto', 'w'.repeat(56)])('the id %s is refused', async (id) => {
  expect((await run(id)).status).toBe(2);
  expect(iam.asked).toEqual([]);
});
