// Settings that are sound one by one and stop every run together.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();

async function validate(text: string): Promise<{ status: number; problems: readonly string[]; used: string }> {
  const folder = await tempFolder();
  writeFileSync(join(folder, 'c.yaml'), text);
  const env = { ARCHIVER_CONFIG: './c.yaml' };
  const { status, stdout } = await runCommand({ root, folder, env }, ['config', '--validate']);
  const { stderr } = await runCommand({ root, folder, env }, ['upload', 'nowhere']);
  return { status, problems: stdout.split('\n').filter((line) => line.startsWith('✗')), used: stderr };
}

it('names the two lines, and the commands that they stop', async () => {
  const { status, problems, used } = await validate('storage:\n  url: /mnt/nas\nupload:\n  bucket: acme-archive\n');

  expect(status).toBe(1);
  expect(problems).toEqual([
    expect.stringMatching(
      /line 4: upload\.bucket contradicts storage\.url in line 2: give either a URL or --bucket, not both \(archiver upload\)$/,
    ),
  ]);
  expect(used).toContain('give either a URL or --bucket, not both');
});

it('counts the commands where there are many', async () => {
  const { problems } = await validate('storage:\n  url: /mnt/nas\n  bucket: acme-archive\n');

  expect(problems).toEqual([
    expect.stringMatching(/storage\.bucket contradicts storage\.url in line 2: .*other commands\)$/),
  ]);
});

it('says nothing of what a flag on the command line completes, and of what fits together', async () => {
  const { status, problems } = await validate(
    'aws: { profile: admin, region: eu-west-1 }\nstorage: { bucket: acme-archive, prefix: lab }\nupload: { encryptManifest: true }\n',
  );

  expect([status, problems]).toEqual([0, []]);
});
