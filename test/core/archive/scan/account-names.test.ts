import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAccountNames } from '../../../../src/core/archive/scan/account-names.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { packTree } from '../pack-tree.js';

test('names of users and groups are in tar headers as they are in the files of the system', async () => {
  const [etc, root] = [await tempFolder(), await tempFolder()];
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  writeFileSync(join(etc, 'passwd'), `J\u00f6rg:x:${uid}:${gid}::/:/bin/sh\n`);
  writeFileSync(join(etc, 'group'), Buffer.from(`gr\xfcppe:x:${gid}:\n`, 'latin1'));
  writeFileSync(join(root, 'file'), 'x');

  const { chunks } = packTree(root, { names: readAccountNames(etc) });

  const [{ raw } = expect.fail('no chunk')] = chunks.values();
  const listed = execFileSync('tar', ['-tvf', '-'], { input: raw, env: { ...process.env, LC_ALL: 'C' } });
  expect(listed.toString('latin1')).toContain('J\xc3\xb6rg/gr\xfcppe');
});
