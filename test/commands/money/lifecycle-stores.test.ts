// Lifecycle rules on stores that lack classes or actions: MinIO refuses them, Garage leaves them out and says nothing.
import type { LifecycleRule } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { json } from '../../support/run-command.js';
import { FOREIGN, type Lifecycle, lifecycleOf, UPLOAD } from './lifecycle-cases.js';

const PUT = 'PutBucketLifecycleConfiguration';
let s3: MemoryS3;
let bucket: Lifecycle;

beforeEach(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('archive');
  bucket = await lifecycleOf(s3.endpoint, 'archive');
});
afterEach(() => s3.close());

/** Rules with this in them are refused as MinIO does: aborting as malformed, transitions by class. */
const refuses = (...what: readonly ('Abort' | 'Transition')[]): void => {
  s3.rules.answer = (operation, { body }) => {
    if (operation !== PUT) return undefined;
    if (what.includes('Abort') && body.includes('<AbortIncomplete')) return errorAnswer(400, 'InvalidArgument', 'XML');
    if (what.includes('Transition') && body.includes('<Transition>')) return errorAnswer(400, 'InvalidStorageClass');
    return undefined;
  };
};
/** What is kept of what is written. */
const keeps = (change: (xml: string) => string): void => {
  const set = s3.lifecycles.set.bind(s3.lifecycles);
  s3.lifecycles.set = (name, text) => set(name, change(text));
};
const withoutTransitions = (xml: string): string => xml.replaceAll(/<Transition>.*?<\/Transition>/g, '');
/** Objects in a class, but for these, are refused like rules to it. */
const refusesObjects = (...but: readonly string[]): void => {
  const rules = s3.rules.answer;
  s3.rules.answer = (operation, call) => {
    const name = call.headers['x-amz-storage-class'];
    const isRefused = operation === 'PutObject' && name !== undefined && !but.includes(String(name));
    return isRefused ? errorAnswer(400, 'InvalidStorageClass') : rules?.(operation, call);
  };
};
const keys = (): readonly string[] => [...(s3.buckets.get('archive')?.keys() ?? [])];
const puts = (): number => s3.requests.filter(({ operation }) => operation === PUT).length;

describe('a store that refuses rules', () => {
  test('without classes: they are named, and nothing is said of XML', async () => {
    await bucket.put(FOREIGN);
    refuses('Abort', 'Transition');
    refusesObjects();
    const before = keys();

    const { status, stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(status).toBe(1);
    expect(keys()).toEqual(before);
    expect(stderr).toContain('this store does not take transitions to GLACIER or DEEP_ARCHIVE');
    expect(stderr).toContain('asked just now, it keeps STANDARD alone; no rule was changed');
    expect(stderr).toContain('chunks stay where they are');
    expect(stderr).toContain('--import');
    expect(stderr).not.toContain('XML');
    expect([...(await bucket.rules()).keys()]).toEqual(['logs']);
  });

  test('and keeps another class: rules to that one are named', async () => {
    refuses('Transition');
    refusesObjects('STANDARD_IA', 'GLACIER');

    const { stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(stderr).toContain('asked just now, it keeps STANDARD, STANDARD_IA, GLACIER');
    expect(stderr).toContain('--import takes rules that move chunks to STANDARD_IA; otherwise they stay');
  });

  test('and may not be asked: what is known of its provider is said, and else nothing', async () => {
    refuses('Transition');
    const rules = s3.rules.answer;
    s3.rules.answer = (operation, call) =>
      operation === 'PutObject' ? errorAnswer(403, 'AccessDenied') : rules?.(operation, call);

    const silent = await bucket.run('--template', 'archive-optimization', '--yes');
    bucket.write('.archiver.yaml', { costControl: { provider: 'minio' } });
    const told = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(silent.stderr).toContain('(it answered InvalidStorageClass); no rule was changed');
    expect(told.stderr).toContain('(it answered InvalidStorageClass); MinIO is known to keep STANDARD alone; no rule');
  });

  test('and whose rules move objects to a class says which', async () => {
    await bucket.put({ ...FOREIGN, Expiration: undefined, Transitions: [{ Days: 3, StorageClass: 'TIER1' as never }] });
    refuses('Transition');

    const { stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(stderr).toContain('rules that it has move to TIER1');
  });

  test('without aborting: what moves chunks is written all the same, and what is left out is named', async () => {
    refuses('Abort');

    const { status, stdout, stderr } = await bucket.run('--template', 'archive-optimization', '--yes', '--json');

    expect(status).toBe(0);
    expect(stderr).toContain('takes no rule that aborts unfinished uploads');
    expect(json(stdout)).toMatchObject({
      isConfirmed: true,
      ruleChanges: [{ ruleChange: 'add' }, { ruleChange: 'add' }],
    });
    expect([...(await bucket.rules()).values()].every(({ Transitions }) => Transitions !== undefined)).toBe(true);
  });

  test('where aborting is all that is new: that is said', async () => {
    for (const key of s3.buckets.get('archive')?.keys() ?? [])
      if (key.includes('/shard-')) s3.buckets.get('archive')!.get(key)!.headers['x-amz-storage-class'] = 'DEEP_ARCHIVE';
    refuses('Abort', 'Transition');

    const { status, stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect([status, puts()]).toEqual([1, 1]);
    expect(stderr).toContain('this store does not take rules that abort unfinished uploads');
  });

  test('for another reason keeps its own words', async () => {
    s3.rules.answer = (operation) => (operation === PUT ? errorAnswer(400, 'TooMuch', 'too many rules') : undefined);

    const { stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(stderr).toContain('400 TooMuch: too many rules');
    expect(puts()).toBe(1);
  });
});

describe('a store that keeps other rules than it was sent', () => {
  test('is named, with what was asked and what is kept, and nobody is blamed', async () => {
    keeps(withoutTransitions);

    const { status, stdout, stderr } = await bucket.run('--template', 'archive-optimization', '--yes', '--json');

    expect(status).toBe(3);
    expect(stderr).toMatch(
      new RegExp(
        `this store was sent rule '.*-${UPLOAD}-.*' as 'lab/uploads/${UPLOAD}/shard-\\*: GLACIER after 30 days, DEEP_ARCHIVE after 180 days', and keeps it as 'lab/uploads/${UPLOAD}/shard-\\*: nothing'`,
      ),
    );
    expect(stderr).toContain('--remove takes the rules away');
    expect(stderr).not.toContain('somebody else');
    expect((await bucket.run('--template', 'archive-optimization', '--yes')).stdout).not.toContain('moves');
    expect(json(stdout)).toMatchObject({
      isConfirmed: false,
      rulesAltered: [{ sentRule: { Transitions: [{}, {}] } }, {}],
    });
    const { lifecycleRules } = json(stdout) as { lifecycleRules: LifecycleRule[] };
    expect(lifecycleRules.some(({ Transitions }) => Transitions !== undefined)).toBe(false);
  });

  test('not at all is named', async () => {
    keeps((xml) => xml.replaceAll(/<Rule>(?:(?!<\/Rule>).)*<Transition>.*?<\/Rule>/g, ''));

    const { status, stderr } = await bucket.run('--template', 'archive-optimization', '--yes');

    expect(status).toBe(3);
    expect(stderr).toContain('does not keep it');
  });

  test('for more objects: the rules from before are put back', async () => {
    await bucket.put(FOREIGN);
    keeps((xml) => xml.replaceAll(/<Filter><Tag>.*?<\/Filter>/g, ''));
    bucket.write('tagged.json', {
      Rules: [{ ID: 'scratch', Status: 'Enabled', Filter: { Tag: { Key: 'a', Value: 'b' } }, Expiration: { Days: 7 } }],
    });

    const { status, stderr } = await bucket.run('--import', 'tagged.json', '--yes');

    expect(status).toBe(1);
    expect(stderr).toContain("this store keeps rule 'scratch' for other objects than it was written for");
    expect([...(await bucket.rules()).keys()]).toEqual(['logs']);
  });
});
