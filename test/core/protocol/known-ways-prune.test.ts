// Ways in which a prune that was told nothing false by the store lost genuine versions, with exit 0 (rules.md#store-time,
// rules.md#no-emptiness).
import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KeepRules } from '../../../src/core/dataset/prune/keep-rules.js';
import { encodeVersionRecord } from '../../../src/core/dataset/records/version-record.js';
import { readVersion, readVersions, type ReadRecord } from '../../../src/core/dataset/records/versions.js';
import { doubtsAbout } from '../../../src/core/dataset/records/doubts.js';
import { effectLost, Lab, LAB } from './site.js';

const DAY = 86_400_000;
let lab: Lab;

beforeEach(async () => {
  lab = await Lab.make();
});

/** Empties the folder and archives it. */
async function archiveEmpty(): Promise<void> {
  rmSync(lab.folder(`empty-${Math.random()}`, {}), { recursive: true, force: true });
  // A forger asks nobody.
  const source = lab.folder(`none-${Math.random()}`, {});
  await lab.upload(lab.machine('other'), { source, allowMassDelete: true }).result;
}

/** What a key that may only put does: seven empty versions, dated back a day each; their records say what it wants. */
async function forge(count: number, claims: object = {}): Promise<void> {
  for (let back = count; back > 0; back--) {
    await archiveEmpty();
    const versions = await lab.listed();
    const version = versions.at(-1)?.version ?? 0;
    const { digest: _digest, ...record } = (await readVersion(lab.store, {
      datasetId: LAB,
      version: version,
    })) as never as Record<string, unknown>;
    const createdAt = new Date(Date.now() - back * DAY).toISOString();
    const totals = { ...(record['totals'] as object), ...claims };
    const bytes = encodeVersionRecord({ ...record, createdAt, totals } as never);
    await lab.store.put(versions.at(-1)?.key ?? '', bytes);
  }
}

const RULES: readonly Partial<KeepRules>[] = [{ last: 7 }, { last: 2, withinMs: DAY }];

describe('seven empty versions, dated yesterday and before', () => {
  test.each(RULES.map((keep) => [JSON.stringify(keep), keep] as const))(
    'make a prune by %s retire nothing that has content',
    async (_, keep) => {
      await lab.upload(lab.machine('one')).result;
      const tree = lab.tree();
      await lab.age(8);
      await forge(7);

      const pruning = lab.prune({ keep, allowMassDelete: false });

      await expect(pruning).rejects.toMatchObject({
        code: 'mass-delete',
        exitCode: 4,
        message: expect.stringMatching(
          /^nothing was pruned: what the --keep flags keep of dataset lab-00000001 holds at most 0 files of 0 bytes, and what they do not \(v1.*\) up to 40 files/,
        ),
        hint: expect.stringContaining('--allow-mass-delete'),
      });
      expect((await lab.versions()).get(1)).toEqual(tree);
    },
  );

  test('take no day of --keep-daily from a version that the store has for longer', async () => {
    await lab.upload(lab.machine('one')).result;
    const tree = lab.tree();
    await lab.age(8);
    await forge(7);

    await lab.prune({ keep: { last: 1, daily: 7 }, allowMassDelete: false });

    expect((await lab.versions()).get(1)).toEqual(tree);
  });

  test('take no day from the newest that has content', async () => {
    await lab.upload(lab.machine('one')).result;
    await lab.age(1);
    await lab.upload(lab.machine('one')).result;
    const tree = lab.tree();
    // On the day of v2, which v1 has the content of all the same.
    await archiveEmpty();
    await archiveEmpty();

    const rules = { keep: { last: 1, daily: 7 } };
    const { kept } = (await lab.prune({ ...rules, allowMassDelete: false })).planned;

    expect(kept.map(({ record, reasons }) => [record.version, ...reasons])).toEqual([
      [1, 'daily'],
      [2, 'content'],
      [4, 'daily', 'latest'],
    ]);
    expect((await lab.versions()).get(2)).toEqual(tree);
    await lab.prune({ ...rules, allowMassDelete: true });
    expect((await lab.listed()).map(({ version }) => version)).toEqual([1, 4]);
  });

  test('are not believed where their records claim content', async () => {
    await lab.upload(lab.machine('one')).result;
    const tree = lab.tree();
    await forge(2, { files: 4000, bytes: 1e12 });

    await expect(lab.prune({ keep: { last: 1 }, allowMassDelete: false })).rejects.toMatchObject({
      code: 'mass-delete',
    });

    expect((await lab.versions()).get(1)).toEqual(tree);
  }, 20_000);

  test('are named', async () => {
    await lab.upload(lab.machine('one')).result;
    await forge(3);

    const { doubts } = (await lab.prune({ keep: { last: 9 } })).planned;

    expect(doubts).toContainEqual({
      datasetId: LAB,
      version: 2,
      texts: [
        'it is empty, and v1 has 40 files',
        expect.stringMatching(/^its writer dates it \d{4}-.* store has it since /),
      ],
    });
  });
});

test('three nights of an empty folder, each with an upload and a prune, cost nothing', async () => {
  await lab.upload(lab.machine('one')).result;
  await lab.upload(lab.machine('one')).result;
  const tree = lab.tree();
  const ends: unknown[] = [];
  for (let night = 0; night < 3; night++) {
    await archiveEmpty();
    await lab.prune({ keep: { last: 2 }, allowMassDelete: false }).then(
      () => ends.push('pruned'),
      (error: { readonly code: string }) => ends.push(error.code),
    );
  }

  expect(ends).toEqual(['pruned', 'mass-delete', 'mass-delete']);
  expect((await lab.versions()).get(2)).toEqual(tree);
});

test('what has shrunk is pruned where that was asked for, and a forged giant does not stand in the way for ever', async () => {
  await lab.upload(lab.machine('one')).result;
  await archiveEmpty();
  await lab.prune({ keep: { last: 1 }, allowMassDelete: true });
  expect((await lab.listed()).map(({ version }) => version)).toEqual([2]);
  await forge(1, { files: 4000, bytes: 1e12 });
  await lab.upload(lab.machine('one'), { allowMassDelete: true }).result;

  await lab.prune({ keep: { last: 1 }, allowMassDelete: false });

  expect((await lab.listed()).map(({ version }) => version)).toEqual([4]);
});

test('a version far ahead of the others is named, and one after retired ones is not', async () => {
  for (let version = 1; version <= 3; version++) await lab.upload(lab.machine('one')).result;
  await lab.prune({ keep: { last: 1 } });
  const { digest: _digest, ...record } = (await readVersion(lab.store, {
    datasetId: LAB,
    version: 3,
  })) as never as Record<string, unknown>;
  const far = encodeVersionRecord({ ...record, version: 999_999_999_999 } as never);
  await lab.store.put(`datasets/${LAB}/v999999999999.json`, far);

  const read = await readVersions(lab.store, await lab.listed());
  const doubts = doubtsAbout(read as readonly ReadRecord[], { withDates: false });

  expect([...doubts]).toEqual([
    ['datasets/lab-00000001/v999999999999.json', ['no version 4 to 999999999998 was ever there']],
  ]);
});

test('a tombstone that is acknowledged and lost is noticed, and nothing is marked', async () => {
  for (let version = 1; version <= 2; version++) await lab.upload(lab.machine('one')).result;
  const before = await lab.keys();

  const pruning = lab.prune({ keep: { last: 1 }, wrap: effectLost(/\/v0+1\.json$/) });

  await expect(pruning).rejects.toMatchObject({
    message:
      'the store acknowledged that version 1 of dataset lab-00000001 was retired, and lists it as before: nothing was marked or deleted',
    hint: 'nothing of any version was deleted; look at the store, then run the same command again',
  });
  expect(await lab.keys()).toEqual(before);
});
