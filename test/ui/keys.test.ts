import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKeySource, type Key } from '../../src/ui/keys.js';
import { readInto } from '../../src/ui/read-input.js';

const ESC = '\u001b';
const SOON_MS = 80;
const pause = (): unknown => vi.advanceTimersByTime(SOON_MS);
const holdTimers = (): unknown => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

afterEach(() => void vi.useRealTimers());

/** Names of keys, text as it is, pastes in brackets. */
const shown = ({ id, text }: Key): string => (id === 'paste' ? `[${text}]` : text === ' ' ? ' ' : id);

interface Typist {
  readonly type: (...chunks: readonly (string | Uint8Array)[]) => void;
  readonly heard: string[];
}

function typist(): Typist {
  const source = createKeySource();
  const heard: string[] = [];
  source.subscribe((key) => heard.push(shown(key)));
  return { type: (...chunks) => chunks.forEach((chunk) => source.write(Buffer.from(chunk as string))), heard };
}

function decode(...chunks: readonly (string | Uint8Array)[]): string[] {
  const { type, heard } = typist();
  type(...chunks);
  pause();
  return heard;
}

describe('keys', () => {
  beforeEach(() => void holdTimers());

  it.each([
    ['jjj', ['j', 'j', 'j']],
    ['aé', ['a', 'é']],
    ['e\u0301データ', ['e\u0301', 'デ', 'ー', 'タ']],
    ['👩‍🔬x', ['👩‍🔬', 'x']],
    ['\r', ['enter']],
    ['\n', ['enter']],
    ['\t', ['tab']],
    ['\u007f\u0008', ['backspace', 'backspace']],
    ['\u0001\u0003\u0004\u001a', ['ctrl+a', 'ctrl+c', 'ctrl+d', 'ctrl+z']],
    ['\u0000\u001c\u001f\u0085', []],
    [`${ESC}[A${ESC}[B${ESC}[C${ESC}[D`, ['up', 'down', 'right', 'left']],
    [`${ESC}OA${ESC}OH${ESC}OF${ESC}OP`, ['up', 'home', 'end']],
    [`${ESC}[H${ESC}[F${ESC}[1~${ESC}[4~${ESC}[7~${ESC}[8~`, ['home', 'end', 'home', 'end', 'home', 'end']],
    [`${ESC}[3~${ESC}[5~${ESC}[6~${ESC}[2~`, ['delete', 'pageup', 'pagedown']],
    [`${ESC}[1;5C${ESC}[1;3D${ESC}[1;2A${ESC}[3;5~`, ['ctrl+right', 'alt+left', 'shift+up', 'ctrl+delete']],
    [`${ESC}[Z`, ['shift+tab']],
    [`${ESC}b${ESC}F${ESC}\u007f${ESC}\r`, ['alt+b', 'alt+f', 'alt+backspace', 'alt+enter']],
    [`${ESC}[1;5P${ESC}[24~${ESC}[[A${ESC}[57u${ESC}[?1;2c${ESC}[<0;1;1M x`, [' ', 'x']],
    [`${ESC}]11;rgb:00/00/00${ESC}\\a${ESC}]0;t\u0007b${ESC}P>|term${ESC}\\c`, ['a', 'b', 'c']],
    [ESC, ['escape']],
    [`${ESC}${ESC}[A`, ['escape', 'up']],
    [`${ESC}[`, []],
    [`${ESC}[1;\u0003`, ['1', ';', 'ctrl+c']],
    [`a${ESC}[200~b\r\nc${ESC}[A\u0003${ESC}[201~d`, ['a', `[b\nc${ESC}[A\u0003]`, 'd']],
    [`${ESC}[200~x${ESC}[1${ESC}[201~y`, [`[x${ESC}[1]`, 'y']],
    [`${ESC}[200~${ESC}[201~`, []],
    [`${ESC}[201~x`, ['x']],
    [`${ESC}O5\r\u0003`, ['enter', 'ctrl+c']],
  ])('reads %j', (typed, keys) => {
    expect(decode(typed)).toEqual(keys);
  });

  it('are the same however the bytes are cut into chunks', () => {
    const bytes = Buffer.from(`é👩‍🔬${ESC}[A${ESC}[1;5C${ESC}[200~pa${ESC}[2sted${ESC}[201~${ESC}OBq\u0003データ`);
    const whole = decode(bytes).join('');

    const cuts = Array.from(bytes.subarray(1), (_, at) => decode(bytes.subarray(0, at + 1), bytes.subarray(at + 1)));
    for (const keys of cuts) expect(keys.join('')).toBe(whole);
    expect(decode(...Array.from(bytes, (byte) => Uint8Array.of(byte))).join('')).toBe(whole);
  });

  it('come after any bytes and a pause', () => {
    const check = (chunks: readonly Uint8Array[]): void => {
      const { type, heard } = typist();
      type(...chunks, `${ESC}[201~`);
      pause();
      type('z\r');

      // An unfinished UTF-8 character of before may come out in front.
      expect(heard.slice(-2)).toEqual(['z', 'enter']);
    };
    const bytes = fc.uint8Array({ maxLength: 40 });
    const steering = fc.constantFrom(
      ...['\u001b', '[', '1;', 'O', '\u001b[200~', ']0;', '[[', '~', 'A'].map((text) => Buffer.from(text)),
    );
    const samples = fc.sample(fc.array(fc.oneof(bytes, steering), { maxLength: 9 }), { numRuns: 400 });

    samples.forEach(check);
  });

  it('of an endless paste come in pieces, and an endless sequence is forgotten', () => {
    const { type, heard } = typist();
    type(`${ESC}[200~`, Buffer.alloc(1 << 20, 'x'));

    expect(heard).toHaveLength(1);
    expect(decode(`${ESC}]${'x'.repeat(10_000)}`, 'y')).toEqual(['y']);
  });

  it('go to whoever throws no further than to its owner', () => {
    const errors: unknown[] = [];
    const source = createKeySource({ onError: (error) => errors.push(error) });
    source.subscribe(() => {
      throw new Error('no such action');
    });

    source.write('x');

    expect(errors).toEqual([new Error('no such action')]);
  });
});

describe('reading keys', () => {
  it('takes a lone escape for the key after a short pause, and stops when told', async () => {
    const raw: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => raw.push(isRaw) });
    const source = createKeySource();
    const heard: string[] = [];
    source.subscribe((key) => heard.push(shown(key)));
    const stop = readInto(source, { stdin: input, stdout: new PassThrough() });

    input.write(ESC);
    await expect.poll(() => heard).toEqual(['escape']);
    input.write('ab');
    await expect.poll(() => heard).toEqual(['escape', 'a', 'b']);
    stop();
    input.write('c');

    expect(heard).toEqual(['escape', 'a', 'b']);
    expect(raw).toEqual([true, false]);
  });

  it('forgets a key that had only begun when it stops', async () => {
    holdTimers();
    const input = new PassThrough();
    const source = createKeySource();
    const heard: string[] = [];
    source.subscribe((key) => heard.push(shown(key)));
    const stop = readInto(source, { stdin: input, stdout: new PassThrough() });
    input.write(ESC);
    await new Promise((resolve) => void setImmediate(resolve));

    stop();
    pause();

    expect(heard).toEqual([]);
  });
});
