// docs/providers.md: its table is that of the code, and its examples of prices are settings that hold.
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { withProvidersTable } from '../../scripts/docs/providers-table.js';
import { program } from '../../src/commands/index.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const document = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
const EXAMPLES = [...document.matchAll(/^```yaml\n([^`]*)^```/gm)].map(([, text = '']) => text);
const root = program();
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);

test('its table is what the program knows (npm run docs)', () => {
  expect(withProvidersTable(document)).toBe(document);
});

test('it has one place for the table of what each server did', () => {
  expect(document.match(/<!-- \/?stores-table -->/g)).toEqual(['<!-- stores-table -->', '<!-- /stores-table -->']);
});

describe('an example of own prices', () => {
  const ofOneTiB: readonly (readonly [
    provider: string,
    monthlyUsd: number,
    putPer1000: number,
    transferOut: number,
  ])[] = [
    ['r2', 15.36, 0.0045, 0],
    ['gcs', 20.48, 0.005, 0.12],
    ['minio', 1.1264, 0, 0],
  ];

  test('is there for each of these, and for no other', () => {
    expect(EXAMPLES.map((text) => /provider: (\w+)/.exec(text)?.[1])).toEqual(ofOneTiB.map(([provider]) => provider));
  });

  test.each(ofOneTiB)('of %s is valid, and is what amounts are made of', async (provider, monthlyUsd, put, out) => {
    const text = EXAMPLES.find((one) => one.includes(`provider: ${provider}\n`)) ?? '';
    await writeFile(join(folder, '.archiver.yaml'), text);
    await mkdir(join(folder, 'data'));
    await writeFile(join(folder, 'data', 'file'), 'content');

    const valid = await run('config', '--validate');
    const estimate = await run('cost', 'estimate', '--size', '1TiB', '--json');
    const prices = json((await run('cost', 'pricing', '--json')).stdout);
    const ofFolder = await run('estimate', 'data');

    expect([valid.status, valid.stderr]).toEqual([0, '']);
    expect(json(estimate.stdout)).toMatchObject({ provider });
    expect(Number(json(estimate.stdout)['monthlyUsd'])).toBeCloseTo(monthlyUsd, 6);
    expect(prices['classPrices']).toEqual(
      expect.arrayContaining([expect.objectContaining({ storageClass: 'STANDARD', putPer1000: put })]),
    );
    expect(prices['transferOut']).toEqual([{ upToGb: null, usd: out }]);
    expect([ofFolder.status, ofFolder.stdout]).toEqual([0, expect.stringContaining('(costControl.ownPrices)')]);
    expect(ofFolder.stdout).not.toContain('unknown');
  });
});
