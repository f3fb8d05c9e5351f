// Little is unpacked without a thread, and no more of a frame is decoded than is wanted.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import { UnpackHere } from '../../../../src/core/restore/unpack/unpack-here.js';
import { UnpackWorkerHandle } from '../../../../src/core/restore/unpack/unpack-worker-handle.js';
import type { RestoreOptions } from '../../../../src/core/restore/restore.js';
import { type ArchiveSpec, type FileSpec, makeArchive } from '../../../support/make-archive.js';
import { restoreMade, type Restored } from '../../../support/restore-made.js';

const MIB = 2 ** 20;
const FRAME = 16 * MIB;
const file = (path: string, mib: number): FileSpec => ({ path, content: randomBytes(mib * MIB) });

interface Seen extends Restored {
  /** Bytes that frames were decoded to in this thread: as a whole, and in part. */
  readonly whole: readonly number[];
  readonly parts: readonly number[];
}

async function restoreOf(
  files: readonly FileSpec[],
  options: Partial<RestoreOptions>,
  bend: ArchiveSpec['bend'] = () => undefined,
): Promise<Seen> {
  const codec = loadCodec();
  const [whole, parts] = [vi.spyOn(codec, 'decompressFrame'), vi.spyOn(codec, 'decompressStart' as 'decompressFrame')];
  const comparing = vi.spyOn(codec, 'compareChecksums' as 'compressBound');
  onTestFinished(() => [whole, parts, comparing].forEach((spy) => spy.mockRestore()));
  const result = await restoreMade(makeArchive({ files, frameSize: FRAME, bend }), options);
  expect(comparing).not.toHaveBeenCalled();
  const sizes = (spy: typeof whole): number[] => spy.mock.calls.map(([target]) => target.byteLength);
  return { ...result, whole: sizes(whole), parts: sizes(parts) };
}

// Other codecs decode whole frames.
describe.runIf(loadCodec().decompressStart !== undefined)('one file of many', () => {
  const files = [file('a', 1), file('b', 2), file('c', 9)];
  const contentOf = (path: string): unknown => files.find((one) => one.path === path)?.content;

  test('needs no thread, and the frame is decoded until its end', async () => {
    const { failed, out, whole, parts } = await restoreOf(files, { selectors: { files: ['b'] } });

    expect(failed).toEqual([]);
    expect(readFileSync(join(out, 'b')).equals(contentOf('b') as Buffer)).toBe(true);
    expect(whole).toEqual([]);
    expect(parts).toEqual([3 * MIB + 2 * 512]);
  });

  test('that is the last one needs the whole frame', async () => {
    const { out, whole, parts } = await restoreOf(files, { selectors: { files: ['c'] } });

    expect(readFileSync(join(out, 'c')).equals(contentOf('c') as Buffer)).toBe(true);
    expect([whole.length, parts.length]).toEqual([1, 0]);
  });

  test('without an MD5 needs the whole frame, whose checksum vouches for it', async () => {
    const { out, whole, parts } = await restoreOf(files, { selectors: { files: ['b'] } }, (manifest) => {
      for (const entry of manifest.files) delete entry['md5'];
    });

    expect(readFileSync(join(out, 'b')).equals(contentOf('b') as Buffer)).toBe(true);
    expect([whole.length, parts.length]).toEqual([1, 0]);
  });

  test('that is not compared with its MD5 needs the whole frame', async () => {
    const { whole, parts } = await restoreOf(files, { selectors: { files: ['b'] }, verifyFiles: false });

    expect([whole.length, parts.length]).toEqual([1, 0]);
  });

  test('whose MD5 is another one fails', async () => {
    const { failed, parts } = await restoreOf(files, { selectors: { files: ['b'] } }, (manifest) => {
      for (const entry of manifest.files) entry['md5'] = '0'.repeat(32);
    });

    expect(parts).toHaveLength(1);
    expect(failed).toEqual([{ path: 'b', reason: expect.stringContaining('MD5') }]);
  });

  test('with an empty file beside it needs no thread', async () => {
    const some = [...files, { path: 'nothing', content: '' }];

    const { out, parts } = await restoreOf(some, { selectors: { files: ['b', 'nothing'] } });

    expect(readFileSync(join(out, 'nothing'))).toHaveLength(0);
    expect(parts).toHaveLength(1);
  });

  test.each<[string, Partial<RestoreOptions>]>([
    ['more than two frames', { selectors: { files: ['a', 'd'] } }],
    ['everything', { selectors: { all: true } }],
    ['what a pattern matches, of which nobody knows how much it is', { selectors: { patterns: ['b'] } }],
  ])('%s has threads', async (_name, options) => {
    const { failed, whole, parts } = await restoreOf([...files, file('d', 40)], options);

    expect(failed).toEqual([]);
    expect([whole.length, parts.length]).toEqual([0, 0]);
  });
});

describe('without a thread', () => {
  test('what the program does wrong ends the run, and nobody waits for answers', async () => {
    const handle = new UnpackWorkerHandle('here');
    const fatal: string[] = [];
    const nothing = (): undefined => undefined;
    handle.begin({} as never, {
      onProgress: nothing,
      onTrouble: () => {
        throw new Error('it broke');
      },
      onBuffer: nothing,
      readAgain: () => Promise.reject(new Error('nothing is wrong')),
      onFatal: ({ message }) => fatal.push(message),
    });

    await handle.idle();
    await handle.close();

    expect(fatal).toEqual([expect.any(String), 'unpacking failed: it broke']);
  });

  test('nothing is taken once it is closed', async () => {
    const messages: string[] = [];
    const here = new UnpackHere({
      onMessage: ({ type }) => messages.push(type),
      onFailure: (error) => expect.fail(error.message),
    });

    await here.close({ type: 'close' });
    here.post({ type: 'settle' });
    await here.close({ type: 'close' });

    expect(messages).toEqual(['closed']);
  });
});
