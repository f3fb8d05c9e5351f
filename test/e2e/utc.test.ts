import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, makeFolder, uploadJson } from './upload-cli.js';

test('times are those of this computer, with --utc in UTC, for one line of a shell as well', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  writeFileSync(join(source, 'a'), 'alpha');
  utimesSync(join(source, 'a'), 1_763_112_612, 1_763_112_612);
  const { document } = await uploadJson(home, [source, `file://${home}/store`]);
  const url = document.location;
  const env = { TZ: 'Asia/Kathmandu' };

  const local = await archiver(home, ['list', url], { env });
  const utc = await archiver(home, ['list', url], { env: { ...env, ARCHIVER_UTC: 'true' } });
  const lines = await archiver(home, ['shell', '-c', `list ${url} --utc`, '-c', `list ${url}`], { env });

  expect(local.stdout).toContain('  2025-11-14 15:15:12+05:45  a\n');
  expect(utc.stdout).toContain('  2025-11-14 09:30:12+00:00  a\n');
  expect(lines.stdout).toBe(utc.stdout + local.stdout);
});
