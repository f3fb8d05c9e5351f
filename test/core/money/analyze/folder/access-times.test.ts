import { expect, test } from 'vitest';
import { isNoatime } from '../../../../../src/core/money/analyze/folder/access-times.js';

const MOUNTS = [
  '21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 21 8:2 / /data rw,noatime shared:2 - xfs /dev/sdb1 rw',
  '31 30 8:3 / /data/my\\040lab rw,relatime - ext4 /dev/sdc1 rw',
  '32 21 8:4 / /twice rw,relatime - ext4 /dev/sdd1 rw',
  '33 32 8:5 / /twice rw,nodev,noatime - ext4 /dev/sde1 rw',
  '',
].join('\n');

test.each([
  ['/', false],
  ['/home/a', false],
  ['/data', true],
  ['/data/x', true],
  ['/database', false],
  ['/data/my lab/x', false],
  ['/twice/x', true],
])('%s is mounted with noatime: %s', (path, isSo) => {
  expect(isNoatime(MOUNTS, path)).toBe(isSo);
});

test('nothing is known without a mount', () => {
  expect(isNoatime('', '/data')).toBeUndefined();
});
