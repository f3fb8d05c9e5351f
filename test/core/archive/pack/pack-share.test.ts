// A piece of a file whose other pieces are packed elsewhere: nothing is stored of one that is not what was planned, before and after it is read.
import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STATUS } from '../../../../src/core/format/columns/entry-table.js';
import type { SourceFs } from '../../../../src/core/archive/scan/source-fs.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { md5, packTree } from '../pack-tree.js';
import { content } from '../parts/large-file.js';

const PIECE = 64 * 1024;
const path = Buffer.from('big').toString('base64');

/** Packs one piece of two; `atOpen` is called with how often the file was opened before. */
async function packPiece(number: 1 | 2, atOpen: (big: string, before: number) => void = () => undefined) {
  const root = await tempFolder();
  const big = join(root, 'big');
  writeFileSync(big, content(2 * PIECE));
  let opened = 0;
  const wrap = (fs: SourceFs): SourceFs => ({
    ...fs,
    openFile: (...args) => {
      atOpen(big, opened++);
      return fs.openFile(...args);
    },
  });
  const share = { path, first: number, last: number, of: 2, pieceBytes: PIECE };
  const packed = packTree(root, {
    wrap,
    afterScan: ({ columns }) => void (columns.status[0] = STATUS.piece),
    plan: { chunkBytes: PIECE, shares: [{ share, row: 0 }] },
  });
  return { packed, status: packed.table.columns.status[0], tar: packed.chunks.get(0)?.raw ?? Buffer.alloc(0) };
}

test('a piece has its bytes alone, and the last one the checksum of all', async () => {
  const whole = content(2 * PIECE);
  for (const number of [1, 2] as const) {
    const { packed, status, tar } = await packPiece(number);
    const at = packed.table.columns.offset[0] ?? 0;

    expect(status).toBe(STATUS.packedPiece);
    expect(tar.subarray(at, at + PIECE).equals(whole.subarray((number - 1) * PIECE, number * PIECE))).toBe(true);
    expect(packed.table.md5.subarray(0, 16).toString('hex')).toBe(number === 2 ? md5(whole) : '0'.repeat(32));
    expect(packed.skipped).toEqual([]);
  }
});

test.each<[string, (big: string) => void]>([
  ['grows', (big) => appendFileSync(big, 'x')],
  ['is touched', (big) => utimesSync(big, 1, 1)],
  [
    'is replaced',
    (big) => {
      writeFileSync(`${big}.new`, content(2 * PIECE));
      renameSync(`${big}.new`, big);
    },
  ],
])('a file that %s, before or while a piece is read, is left out', async (_how, change) => {
  for (const when of [0, 1]) {
    const { packed, status, tar } = await packPiece(1, (big, before) => before === when && change(big));

    expect(status).toBe(STATUS.skipped);
    expect(packed.skipped).toEqual([{ path: 'big', reason: 'changed after it was planned' }]);
    expect(tar).toHaveLength(1024);
  }
});
