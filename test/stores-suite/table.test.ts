import { describe, expect, test } from 'vitest';
import { KNOWN_SERVERS } from '../servers/known-servers.js';
import { judge, type Outcome, type Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/all.js';
import { asMarkdown, asText, sumOf, tableOf, withTable } from './table.js';
import { World } from './world.js';

const folder = KNOWN_SERVERS.find(({ id }) => id === 'folder');
const world = (): World => {
  if (folder === undefined) throw new Error('there is no folder');
  return new World({ ...folder, faults: { known: 'it forgets' } }, undefined, '/nowhere', 'seed');
};
const fine = (): Promise<void> => Promise.resolve();
const broken = (): Promise<void> => Promise.reject(new Error('it is broken'));
const verdictOf = async (scenario: Scenario): Promise<Outcome> => await judge(scenario, world());

describe('a scenario', () => {
  test('holds, or fails with its reason', async () => {
    expect(await verdictOf({ name: 'a', run: fine })).toMatchObject({ verdict: 'holds' });
    expect(await verdictOf({ name: 'a', run: broken })).toMatchObject({
      verdict: 'fails',
      reason: expect.stringContaining('it is broken'),
    });
  });

  test('on a server that lacks what it needs is the check that the command says so', async () => {
    expect(await verdictOf({ name: 'a', needs: 'locks', run: broken, withoutIt: fine })).toMatchObject({
      verdict: 'says so',
    });
    expect(await verdictOf({ name: 'a', needs: 'locks', run: fine, withoutIt: broken })).toMatchObject({
      verdict: 'fails',
    });
    expect(await verdictOf({ name: 'a', needs: 'locks', run: fine })).toMatchObject({ verdict: 'fails' });
  });

  test('that fails by a known fault of the server is told from others, until it holds', async () => {
    expect(await verdictOf({ name: 'known', run: broken })).toMatchObject({ verdict: 'fault', reason: 'it forgets' });
    expect(await verdictOf({ name: 'known', run: fine })).toMatchObject({ verdict: 'fails' });
  });

  test('has a name of its own, and says what becomes of it where it needs something', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    expect(SCENARIOS.filter(({ needs, withoutIt }) => (needs === undefined) !== (withoutIt === undefined))).toEqual([]);
  });
});

describe('the table', () => {
  const outcome = (verdict: Outcome['verdict']): Outcome => ({ verdict, durationMs: 1 });
  const columns = [
    {
      name: 'Ceph',
      outcomes: new Map([
        ['upload', outcome('holds')],
        ['locks', outcome('fails')],
      ]),
    },
    {
      name: 'file://',
      outcomes: new Map([
        ['upload', outcome('holds')],
        ['locks', outcome('says so')],
      ]),
    },
  ];
  const rows = tableOf(['upload', 'locks'], columns);

  test('has a line for each scenario and a column for each server', () => {
    expect(asText(rows).split('\n')).toEqual(['        Ceph  file://', 'upload  ✓     ✓', 'locks   ✗     – says so']);
    expect(asMarkdown(rows).split('\n')).toEqual([
      '|  | Ceph | file:// |',
      '| --- | --- | --- |',
      '| upload | ✓ | ✓ |',
      '| locks | ✗ | cannot, and says so |',
    ]);
  });

  test('counts what failed, and what could not be looked at', () => {
    expect(sumOf(columns, 2)).toEqual({ text: '3 passed, 1 failed, 2 skipped', failed: 1 });
    expect(sumOf(columns, 0).text).toBe('3 passed, 1 failed');
  });

  test('takes the place of the one before in a document, and nothing else of it', () => {
    const before = 'a\n<!-- stores-table -->\nold\n<!-- /stores-table -->\nb\n';

    expect(withTable(before, 'new')).toBe('a\n<!-- stores-table -->\nnew\n<!-- /stores-table -->\nb\n');
    expect(withTable(undefined, 'new')).toContain('new');
    expect(() => withTable('nothing', 'new')).toThrow('stores-table');
  });
});
