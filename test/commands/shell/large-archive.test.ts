// The shell over an archive that is read piece by piece, and its completion.
import { PassThrough } from 'node:stream';
import { expect, it, test } from 'vitest';
import { ArchiveInterpreter } from '../../../src/commands/shell/archive-interpreter.js';
import { ArchiveSession } from '../../../src/commands/shell/archive-session.js';
import { expectedIn } from '../../../src/core/dataset/records/assert-expected.js';
import { LazyListing } from '../../../src/core/restore/listing/lazy-listing.js';
import { scanLastCommand } from '../../../src/core/shell/command-line.js';
import { memoryReader } from '../../support/memory-reader.js';
import { writtenFiles } from '../../support/written-files.js';

const LARGE = Array.from({ length: 3 }, (_, folder) =>
  Array.from({ length: 2000 }, (_file, n) => `run-${folder}/f-${String(n).padStart(4, '0')}`),
).flat();
const SIZES = { small: 0, first: 4096, page: 4096, piece: 4096, maxKept: Infinity };

async function opened(): Promise<{ lazy: LazyListing; shell: ArchiveInterpreter }> {
  const { objects, newest } = await writtenFiles([...LARGE, 'top'], 50);
  const { uploadId, sha256, index } = newest;
  const reader = memoryReader(objects);
  const lazy = await LazyListing.open(reader, { uploadId, sha256: expectedIn('d', [sha256], index) }, SIZES);
  const during: ArchiveSession['archive']['during'] = async (_emit, work) => await work();
  const archive = { lazy, reader, uploadId, location: 'file:///store', during } as unknown as ArchiveSession['archive'];
  const context = { cwd: '/', env: {}, now: () => new Date(0), quiet: true } as unknown as ArchiveSession['context'];
  return { lazy, shell: new ArchiveInterpreter(new ArchiveSession(archive, context)) };
}

async function run(shell: ArchiveInterpreter, line: string): Promise<string> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const { signal } = new AbortController();
  await shell.run(scanLastCommand(line).words, { ...streams, signal });
  return String(streams.stdout.read() ?? '');
}

it.each(['ls -l', 'ls -1t', 'tree -L 1', 'find . -maxdepth 1 -type d', 'ls -ld run-1'])(
  '%j reads the blocks that have names of the folder, and no others',
  async (line) => {
    const { lazy, shell } = await opened();

    const text = await run(shell, line);

    expect(text).toContain('run-1/');
    expect(lazy.listing.isWhole).toBe(false);
    expect(lazy.listing.count).toBeLessThan(6 * 50);
  },
);

it('reads all that a sum takes, and says it', async () => {
  const { lazy, shell } = await opened();

  expect(await run(shell, 'du -s run-1')).toBe('14000     run-1\n');
  expect(await run(shell, 'du -sd 9')).toBe('42007     .\n');
  expect(lazy.listing.isWhole).toBe(true);
});

test.each<[line: string, options: string]>([
  ['tree -', '-L -d -a --help'],
  ['find . -t', '-type'],
  ['find . -type ', 'f d l'],
  ['find . -name ', ''],
  ['find r', 'run-0/ run-1/ run-2/'],
  ['ls -la to', 'top'],
  ['head -n ', ''],
  ['head -n 5 to', 'top'],
  ['get -r to', 'top'],
  ['ls -- -', ''],
  ['ls -Z to', 'top'],
])('%j goes on with %j', async (line, options) => {
  const { shell } = await opened();

  const { options: found } = await shell.complete(line, line.length);

  expect(found.map(({ insert }) => insert).join(' ')).toBe(options);
});
