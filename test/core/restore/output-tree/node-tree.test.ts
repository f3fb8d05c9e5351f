import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeTree } from '../../../../src/core/restore/output-tree/node-tree.js';
import { randomOf } from '../../../support/random.js';
import { tempFolder } from '../../../support/temp-folder.js';

test('times keep every microsecond', async () => {
  const folder = await tempFolder();
  const tree = new NodeTree(folder, 0);
  const random = randomOf(1);
  const fd = openSync(join(folder, 'file'), 'w');
  const wrong: string[] = [];
  for (let round = 0; round < 2000; round++) {
    const [seconds, nanos] = [random(4_000_000_000), random(1_000_000_000)];
    tree.describe(fd, { mtime: { seconds, nanos }, mode: undefined, owner: undefined });
    const micros = BigInt(seconds) * 1_000_000n + BigInt(Math.floor(nanos / 1000));
    if (fstatSync(fd, { bigint: true }).mtimeNs / 1000n !== micros) wrong.push(`${seconds}.${nanos}`);
  }
  closeSync(fd);

  expect(wrong).toEqual([]);
});
