import type { LifecycleRule } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../../src/commands/money/lifecycle.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { FOREIGN, type Lifecycle, lifecycleOf, UPLOAD, WRITERS } from './lifecycle-cases.js';
import { treeOf } from '../../support/tree-of.js';

let s3: MemoryS3;
let bucket: Lifecycle;

beforeEach(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('archive');
  bucket = await lifecycleOf(s3.endpoint, 'archive');
});
afterEach(() => s3.close());

const alone = async (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root: treeOf([command], [], 'lifecycle'), folder: await tempFolder() }, ['lifecycle', ...argv]);
const writes = (): readonly string[] =>
  s3.requests.map(({ operation }) => operation).filter((name) => /^(Put|Delete)Bucket/.test(name));
const ids = async (): Promise<readonly string[]> => [...(await bucket.rules()).keys()];

/** What a rule with this prefix selects of what is stored. */
const selected = (prefix: string): readonly string[] =>
  [...(s3.buckets.get('archive')?.keys() ?? [])].filter((key) => key.startsWith(prefix));

describe('a template', () => {
  test('moves chunks and nothing else, of uploads that are not there yet', async () => {
    const document = await bucket.change('--template', 'archive-optimization');

    expect(document).toMatchObject({ waitingChunks: 2, uploadsLeftOut: 0, dryRun: false, isConfirmed: true });
    expect(document['transitionUsd']).toBeNull(); // the server is not AWS, and has no list of prices
    const rules = [...(await bucket.rules()).values()];
    const moving = rules.filter(({ Transitions }) => Transitions !== undefined);
    expect(moving.flatMap(({ Filter }) => selected(Filter?.Prefix ?? '')).sort()).toEqual([
      `lab/uploads/${UPLOAD}/shard-00/chunk-000000.tar.zst`,
      `lab/writers/w1/uploads/${WRITERS}/shard-00/chunk-000000.tar.zst`,
    ]);
    expect(moving[0]?.Transitions).toEqual([
      { Days: 30, StorageClass: 'GLACIER' },
      { Days: 180, StorageClass: 'DEEP_ARCHIVE' },
    ]);
    const aborting = rules.filter(({ AbortIncompleteMultipartUpload: abort }) => abort !== undefined);
    expect(aborting).toMatchObject([
      { Filter: { Prefix: 'lab/' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
    ]);
  });

  test('leaves the rules of others as they are, and takes the place of its own', async () => {
    await bucket.put(FOREIGN);
    await bucket.change('--template', 'archive-optimization');
    const before = await bucket.rules();

    await bucket.change('--template', 'intelligent-tiering');

    const after = await bucket.rules();
    expect(after.get('logs')).toEqual(FOREIGN);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const classes = [...after.values()].flatMap(({ Transitions = [] }) => Transitions.map((move) => move.StorageClass));
    expect(new Set(classes)).toEqual(new Set(['INTELLIGENT_TIERING']));
  });

  test('gives an older rule of others a filter, without which S3 takes no rules that have one', async () => {
    const { Filter: _, ...old } = FOREIGN;
    await bucket.put({ ...old, Prefix: 'logs/' });

    const { isConfirmed, ruleChanges } = await bucket.change('--template', 'archive-optimization');

    expect([isConfirmed, (await bucket.rules()).get('logs')]).toEqual([true, FOREIGN]);
    expect(ruleChanges).not.toContainEqual(expect.objectContaining({ ruleId: 'logs' }));
  });

  test('drops the rule of an upload whose chunks have all moved', async () => {
    await bucket.change('--template', 'archive-optimization');
    const chunk = s3.buckets.get('archive')?.get(`lab/uploads/${UPLOAD}/shard-00/chunk-000000.tar.zst`);
    if (chunk) chunk.headers['x-amz-storage-class'] = 'DEEP_ARCHIVE';

    const { ruleChanges } = await bucket.change('--template', 'archive-optimization');

    expect(ruleChanges).toMatchObject([{ ruleChange: 'remove', ruleId: expect.stringContaining(UPLOAD) as string }]);
  });

  test('writes nothing where nothing changes, with --dry-run, and after a no', async () => {
    const dry = await bucket.run('--template', 'archive-optimization', '--dry-run');
    const refused = await bucket.answering(['n'], '--template', 'archive-optimization');
    const unattended = await bucket.run('--template', 'archive-optimization');
    expect(writes()).toEqual([]);
    await bucket.change('--template', 'archive-optimization');
    await bucket.change('--template', 'archive-optimization');

    expect(dry).toMatchObject({ status: 0 });
    expect(dry.stdout).toMatch(
      new RegExp(`\\+ .*-${UPLOAD}-.*\n +\\+ lab/uploads/${UPLOAD}/shard-\\*: GLACIER after 30 days`),
    );
    expect(dry.stdout).toContain('Nothing was changed (--dry-run).');
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain('no rule was changed');
    expect(unattended.stderr).toContain('--yes');
    expect(writes()).toEqual(['PutBucketLifecycleConfiguration']);
  });

  test('warns of what others wrote that makes uploads unreadable or deletes them', async () => {
    await bucket.put(
      {
        ID: 'all-cold',
        Filter: { Prefix: '' },
        Status: 'Enabled',
        Transitions: [{ Days: 1, StorageClass: 'GLACIER' }],
      },
      { ID: 'old', Filter: { Prefix: 'lab/uploads/2025' }, Status: 'Enabled', Expiration: { Days: 365 } },
      FOREIGN,
    );

    const { stderr } = await bucket.run('--template', 'intelligent-tiering', '--dry-run');

    expect(stderr).toMatch(/rule 'all-cold' .* makes uploads unreadable; it was made by somebody else/);
    expect(stderr).toMatch(/rule 'old' .* deletes what versions need/);
    expect(stderr).not.toContain("'logs'");
  });

  test('finds no uploads', async () => {
    const { status, stderr } = await alone(
      '--bucket',
      'archive',
      '--endpoint-url',
      s3.endpoint,
      '--template',
      'intelligent-tiering',
      '--yes',
    );

    expect(status).toBe(1);
    expect(stderr).toContain('there are no uploads in s3://archive');
    expect(writes()).toEqual([]);
  });
});

describe('somebody else at the same time', () => {
  /** What somebody does after so many reads of the rules. */
  const after = (reads: number, change: () => void): void => {
    const get = s3.lifecycles.get.bind(s3.lifecycles);
    let seen = 0;
    s3.lifecycles.get = (name) => {
      const found = get(name);
      seen += 1;
      if (seen === reads) change();
      return found;
    };
  };
  const theirs =
    '<LifecycleConfiguration><Rule><ID>theirs</ID><Filter><Prefix>x/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>';

  test('before the rules are written: nothing is', async () => {
    after(1, () => s3.lifecycles.set('archive', theirs));

    const { status, stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(status).toBe(1);
    expect(stderr).toContain('the rules of the bucket were changed meanwhile, and nothing was written');
    expect(writes()).toEqual([]);
    expect(await ids()).toEqual(['theirs']);
  });

  test('right after: it is said', async () => {
    const set = s3.lifecycles.set.bind(s3.lifecycles);
    s3.lifecycles.set = (name) => set(name, theirs);

    const { status, stdout, stderr } = await bucket.run('--template', 'archive-optimization', '--yes', '--json');

    expect(status).toBe(3);
    expect(json(stdout)).toMatchObject({ isConfirmed: false });
    expect(stderr).toContain('the bucket shows other rules than were written');
  });
});

describe('--export, --import and --remove', () => {
  const harmful = (rule: Partial<LifecycleRule>): LifecycleRule => ({ ID: 'mine', Status: 'Enabled', ...rule });

  test('a file has all rules as the AWS CLI prints them, and is never overwritten', async () => {
    await bucket.put(FOREIGN);

    expect(await bucket.change('--export', 'rules.json')).toMatchObject({ exportFile: `${bucket.folder}/rules.json` });
    const { status, stderr } = await bucket.run('--export', 'rules.json');

    expect(bucket.read('rules.json')).toEqual({ Rules: [FOREIGN] });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is there already') as string,
    });
  });

  test('a file is merged by ID', async () => {
    await bucket.put(FOREIGN);
    bucket.write('more.json', {
      Rules: [
        FOREIGN,
        harmful({ Filter: { Prefix: 'scratch/' }, Expiration: { Date: '2030-01-01T00:00:00.000Z' } as never }),
      ],
    });

    const { ruleChanges } = await bucket.change('--import', 'more.json');

    expect(ruleChanges).toMatchObject([{ ruleChange: 'add', ruleId: 'mine' }]);
    expect(await ids()).toEqual(['logs', 'mine']);
    expect((await bucket.rules()).get('mine')?.Expiration).toEqual({ Date: new Date('2030-01-01T00:00:00.000Z') });
  });

  test.each([
    [
      'a rule of others that says something else',
      { ...FOREIGN, Expiration: { Days: 1 } },
      'other rules under this ID: logs',
    ],
    [
      'a rule that moves manifests',
      harmful({ Filter: { Prefix: 'lab/' }, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }),
      'would move manifests',
    ],
    [
      'a rule that deletes chunks',
      harmful({ Filter: { Prefix: `lab/uploads/${UPLOAD}/shard-` }, Expiration: { Days: 9 } }),
      'would delete what versions need',
    ],
    [
      'a rule that S3 refuses',
      harmful({ Filter: { Prefix: '' }, Transitions: [{ Days: 1, StorageClass: 'STANDARD_IA' }] }),
      'moves to STANDARD_IA before 30 days',
    ],
  ])('%s is refused, and nothing is sent', async (_name, rule, words) => {
    await bucket.put(FOREIGN);
    const before = writes().length;
    bucket.write('bad.json', { Rules: [rule] });

    const { status, stderr } = await bucket.run('--import', 'bad.json', '--yes');

    expect(status).not.toBe(0);
    expect(stderr).toContain(words);
    expect(writes()).toHaveLength(before);
  });

  test.each(['', 'la', 'lab/'])('a rule for %j* of the bucket spares the stores in its folders', async (Prefix) => {
    const rule = harmful({ Filter: { Prefix }, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] });
    bucket.write('bad.json', { Rules: [rule] });
    bucket.write('good.json', { Rules: [{ ...rule, Filter: { Prefix: `lab/uploads/${UPLOAD}/shard-` } }] });

    const bad = await bucket.runForBucket('--import', 'bad.json', '--yes');
    const good = await bucket.runForBucket('--import', 'good.json', '--yes');

    expect([bad.status, bad.stderr]).toEqual([2, expect.stringContaining('would move manifests')]);
    expect([good.status, good.stderr]).toEqual([0, expect.any(String)]);
  });

  test('what was made here goes, and nothing else', async () => {
    await bucket.put(FOREIGN, {
      ...FOREIGN,
      ID: 'archiver-lifecycle-0badcafe-of-another-store',
      Filter: { Prefix: 'b/' },
    });
    await bucket.change('--template', 'intelligent-tiering');

    await bucket.change('--remove');

    expect(await ids()).toEqual(['logs', 'archiver-lifecycle-0badcafe-of-another-store']);
    expect(await bucket.change('--remove')).toMatchObject({ ruleChanges: [] });
  });

  test('no rules at all are removed as S3 wants it', async () => {
    await bucket.change('--template', 'intelligent-tiering');
    await bucket.change('--remove');

    expect(writes()).toEqual(['PutBucketLifecycleConfiguration', 'DeleteBucketLifecycle']);
    expect(await ids()).toEqual([]);
  });
});

describe('without a bucket', () => {
  test('shows the templates', async () => {
    expect(json((await alone('--list-templates', '--json')).stdout)['templates']).toMatchObject([
      { template: 'archive-optimization' },
      { template: 'intelligent-tiering', transitions: [{ Days: 0, StorageClass: 'INTELLIGENT_TIERING' }] },
    ]);
  });

  test('shows what a template saves in each month', async () => {
    const { status, stdout } = await alone('--template', 'archive-optimization', '--estimate-size', '1000');

    expect(status).toBe(0);
    expect(stdout).toMatch(/\n *1 +\$23\.00 +\$23\.00 +\$0\.00\n/);
    expect(stdout).toMatch(/\n *12 +\$23\.00 +\$0\.99 +\$22\.01\n/);
    expect(stdout).toContain('180 days in the last class are paid for');
  });

  test.each([
    [['--template', 'archive-optimization'], 'S3_URL (or --bucket), --list-templates or --estimate-size is needed'],
    [['--estimate-size', '3'], '--estimate-size needs --template'],
    [
      ['--template', 'intelligent-tiering', '--estimate-size', '1e300'],
      '--estimate-size wants a number from 0.001 to 8000000',
    ],
    [
      ['--bucket', 'file:///srv/archive', '--template', 'archive-optimization'],
      'only buckets of S3 have lifecycle rules',
    ],
    [['--bucket', 'archive', '--dry-run'], '--dry-run needs'],
    [['--list-templates', '--region', 'eu-west-1'], '--region can do nothing for --list-templates'],
    [['--list-templates', '--profile', 'lab'], '--profile needs S3_URL or --bucket'],
    [['--template', 'archive-optimization', '--estimate-size', '3', '--yes'], '--yes needs S3_URL or --bucket'],
  ])('%j is refused', async (argv, words) => {
    const { status, stderr } = await alone(...argv);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });
});
