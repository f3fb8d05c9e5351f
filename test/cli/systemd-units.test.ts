// The units of docs/operations.md, before systemd's own check.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingTools } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

const UNIT = /^`\/etc\/systemd\/system\/([\w.-]+)`:\n\n```ini\n(.*?)^```/gms;

test.skipIf(missingTools('systemd-analyze').length > 0)(
  'systemd finds nothing wrong with the units of docs/operations.md',
  async () => {
    const folder = await tempFolder();
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const paths = Array.from(text.matchAll(UNIT), ([, name = '', unit = '']) => {
      // The program is not installed here.
      writeFileSync(join(folder, name), unit.replace('/usr/local/bin/archiver', process.execPath));
      return join(folder, name);
    });

    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });

    process.stderr.write(`systemd-analyze verify: ${paths.length} units of docs/operations.md checked\n`);
    expect(paths).toHaveLength(2);
    expect(stdout + stderr).toBe('');
  },
);
