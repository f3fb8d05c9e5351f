import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, KeyDecoder } from '../../src/ui/key-decoder.js';
import { readKeys } from '../../src/ui/read-keys.js';

const ESC = '\u001b';

/** Names of keys, text as it is, pastes in brackets. */
const shown = (keys: readonly Key[]): string[] =>
  keys.map((key) => {
    if (key.name === 'text') return (key as { text: string }).text;
    return key.name === 'paste' ? `[${(key as { text: string }).text}]` : key.name;
  });

function decode(...chunks: readonly (string | Uint8Array)[]): string[] {
  const decoder = new KeyDecoder();
  const keys = chunks.flatMap((chunk) => decoder.push(Buffer.from(chunk as string)));
  return shown([...keys, ...decoder.flush()]);
}

describe('the decoder of keys', () => {
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
    [`${ESC}[200~${ESC}[201~`, []],
    [`${ESC}[201~x`, ['x']],
  ])('reads %j', (typed, keys) => {
    expect(decode(typed)).toEqual(keys);
  });

  it('gives the same keys however the bytes are cut into chunks', () => {
    const bytes = Buffer.from(`é👩‍🔬${ESC}[A${ESC}[1;5C${ESC}[200~pa${ESC}[2sted${ESC}[201~${ESC}OBq\u0003データ`);
    const whole = decode(bytes);

    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(decode(bytes.subarray(0, cut), bytes.subarray(cut)).join('')).toBe(whole.join(''));
    expect(decode(...Array.from(bytes, (byte) => Uint8Array.of(byte))).join('')).toBe(whole.join(''));
  });

  it('never throws, and reads what comes after any bytes and a pause', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), (chunks) => {
        const decoder = new KeyDecoder();
        for (const chunk of chunks) decoder.push(Buffer.from(chunk));
        decoder.push(Buffer.from(`${ESC}[201~`));
        decoder.flush();

        // An unfinished UTF-8 character of before may come out in front.
        expect(shown(decoder.push(Buffer.from('z\r'))).slice(-2)).toEqual(['z', 'enter']);
      }),
    );
  });

  it('gives an endless paste out in pieces and forgets an endless sequence', () => {
    const decoder = new KeyDecoder();
    const piece = Buffer.alloc(1 << 20, 'x');
    decoder.push(Buffer.from(`${ESC}[200~`));

    expect(decoder.push(piece)).toHaveLength(1);
    expect(decode(`${ESC}]${'x'.repeat(10_000)}`, 'y')).toEqual(['y']);
  });
});

describe('reading keys', () => {
  it('takes a lone escape for the key after a short pause, and stops when told', async () => {
    const raw: boolean[] = [];
    const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => raw.push(isRaw) });
    const keys: Key[] = [];
    const stop = readKeys(input, (key) => keys.push(key));

    input.write(ESC);
    await expect.poll(() => shown(keys)).toEqual(['escape']);
    input.write('ab');
    await expect.poll(() => shown(keys)).toEqual(['escape', 'a', 'b']);
    stop();
    input.write('c');

    expect(shown(keys)).toEqual(['escape', 'a', 'b']);
    expect(raw).toEqual([true, false]);
  });
});
