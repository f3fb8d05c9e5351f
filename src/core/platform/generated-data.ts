// Generates data to compress that is the same on every computer. Block `index` of a type depends on nothing else, so that threads can
// generate blocks independently, and nothing repeats that a large window could find. Random bytes are the key stream of AES-CTR.
import { createCipheriv } from 'node:crypto';

export const DATA_TYPES = ['text', 'binary', 'mixed', 'random'] as const;
export type DataType = (typeof DATA_TYPES)[number];

const KEY = Buffer.from('archiver sample!');
/** Length of a run of one type in mixed data. */
const RUN_BYTES = 16_384;
const RUNS = ['text', 'binary', 'random'] as const;
const WORDS = 1500;
const BLANK = 32;
const LINE_END = 10;
const WORD_BYTES = 10;
const RECORD_BYTES = 16;
/** Number of record numbers reserved for a block, or a run of mixed data. */
const RECORDS = 2 ** 20;
/** Random bytes in addition to those of the block, because a draw takes several. */
const SPARE = 64;

/** Fills `target` with block number `index` of a type. */
export function fillGenerated(type: DataType, index: number, target: Buffer): void {
  const random = keyStream(type, index, target.length + SPARE);
  if (type !== 'mixed') return fill(type, index, random, target);
  for (let at = 0, run = index; at < target.length; at += RUN_BYTES, run++) {
    const piece = target.subarray(at, at + RUN_BYTES);
    fill(
      RUNS[run % RUNS.length] ?? 'random',
      index * RUN_BYTES + run,
      random.subarray(at, at + RUN_BYTES + SPARE),
      piece,
    );
  }
}

function fill(type: Exclude<DataType, 'mixed'>, part: number, random: Buffer, target: Buffer): void {
  if (type === 'text') fillText(random, target);
  else if (type === 'binary') fillRecords(part * RECORDS, random, target);
  else random.copy(target);
}

function keyStream(type: DataType, index: number, bytes: number): Buffer {
  const counter = Buffer.alloc(16);
  counter.writeUInt8(DATA_TYPES.indexOf(type), 0);
  counter.writeUIntBE(index, 1, 6);
  return createCipheriv('aes-128-ctr', KEY, counter).update(Buffer.alloc(bytes));
}

interface Vocabulary {
  /** A word every ten bytes, followed by a space and zeros. */
  readonly words: Buffer;
  /** The start of the word for each of 65,536 draws: the first words are by far the most frequent, as in any language. */
  readonly drawn: Uint16Array;
}

let vocabulary: Vocabulary | undefined;

/** Makes words of two to nine letters, with the letter frequencies of English. */
function makeVocabulary(): Vocabulary {
  const letters = Buffer.from(
    'eeeeeeeeeeeetttttttttaaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvk',
  );
  const random = keyStream('random', 2 ** 40, WORDS * WORD_BYTES);
  const words = Buffer.alloc(WORDS * WORD_BYTES);
  for (let start = 0; start < words.length; start += WORD_BYTES) {
    const length = 2 + ((random[start + WORD_BYTES - 1] ?? 0) % (WORD_BYTES - 2));
    for (let at = start; at < start + length; at++) words[at] = letters[(random[at] ?? 0) % letters.length] ?? 0;
    words[start + length] = BLANK;
  }
  const drawn = Uint16Array.from({ length: 65_536 }, (_, draw) => {
    return (Math.floor(WORDS ** (draw / 65_536)) - 1) * WORD_BYTES;
  });
  return { words, drawn };
}

/** Writes words, with a line break after one in twelve. */
function fillText(random: Buffer, target: Buffer): void {
  const { words, drawn } = (vocabulary ??= makeVocabulary());
  const { length } = target;
  for (let at = 0, next = 0; at < length; next += 3) {
    let from = drawn[(random[next] ?? 0) | ((random[next + 1] ?? 0) << 8)] ?? 0;
    for (let byte = 0; byte !== BLANK && at < length;) target[at++] = byte = words[from++] ?? BLANK;
    if ((random[next + 2] ?? 0) < 21) target[at - 1] = LINE_END;
  }
}

/** Writes records like those of instruments: a counter, a time that advances slightly, a mostly constant state, a reading. */
function fillRecords(first: number, random: Buffer, target: Buffer): void {
  const fields = new Int32Array(Math.ceil(target.length / RECORD_BYTES) * (RECORD_BYTES / 4));
  let time = (first * 43) % 2 ** 31;
  for (let at = 0; at < fields.length; at += 4) {
    const count = first + at / 4;
    const noise = random[at / 2] ?? 0;
    const more = random[at / 2 + 1] ?? 0;
    time += 40 + (noise & 7);
    fields[at] = count;
    fields[at + 1] = time;
    fields[at + 2] = more < 8 ? more : 0;
    fields[at + 3] = (Math.round(2000 * Math.sin(count / 500)) + (more >> 4)) & 0xffff;
  }
  Buffer.from(fields.buffer).copy(target);
}
