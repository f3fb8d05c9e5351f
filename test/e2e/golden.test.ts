// Archives that earlier versions wrote are read for ever. test/fixtures/make-golden.mjs made them; they never change.
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

interface Golden {
  readonly uploadId: string;
  readonly datasetId: string;
  readonly version: number;
  /** By path in hex. */
  readonly tree: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const golden = readdirSync(FIXTURES)
  .filter((name) => name.startsWith('golden-'))
  .flatMap((name) => {
    const expected = JSON.parse(readFileSync(join(FIXTURES, name, 'expected.json'), 'utf8')) as Record<string, Golden>;
    return Object.entries(expected).map(([archive, content]) => [name, archive, content] as const);
  });

function described(root: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const inodes = new Map<bigint, string>();
  const walk = (folder: Buffer): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' }).sort((a, b) => Buffer.compare(a, b))) {
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const stat = lstatSync(path, { bigint: true });
      const key = path.subarray(Buffer.byteLength(root) + 1).toString('hex');
      const common = { mode: Number(stat.mode & 0o7777n), mtimeNs: String(stat.mtimeNs) };
      if (stat.isSymbolicLink()) found[key] = { type: 'symlink', target: readlinkSync(path, 'utf8') };
      else if (stat.isDirectory()) {
        found[key] = { type: 'directory', ...common };
        walk(path);
      } else {
        const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
        const first = inodes.get(stat.ino) ?? key;
        inodes.set(stat.ino, first);
        found[key] = { type: 'file', size: Number(stat.size), sha256, ...common, ...(first === key ? {} : { first }) };
      }
    }
  };
  walk(Buffer.from(root));
  return found;
}

describe.each(golden)('%s, %s', (folder, _archive, { uploadId, datasetId, version, tree }) => {
  test('is sound, restores to what was archived, and takes a further version', async () => {
    const home = await tempFolder();
    const store = join(home, 'store');
    cpSync(join(FIXTURES, folder, 'store'), store, { recursive: true });
    const out = join(home, 'out');

    const verified = await archiver(home, ['verify', `file://${store}/uploads/${uploadId}`, '--deep']);
    const byVersion = ['--dataset-id', datasetId, '--version', String(version)];
    const restored = await archiver(home, ['restore', `file://${store}`, out, ...byVersion, '--all']);
    const synced = await archiver(home, ['sync', out, `file://${store}`, '--dataset-id', datasetId, '--json']);

    expect([verified.status, verified.stderr]).toEqual([0, expect.not.stringContaining('✗')]);
    expect(restored.status).toBe(0);
    expect(described(out)).toEqual(tree);
    expect(synced.status).toBe(0);
  });
});
