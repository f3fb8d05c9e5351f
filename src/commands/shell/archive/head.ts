import { displayPath } from '../../../core/platform/paths/raw-path.js';
import { countOf } from '../../../core/shell/options.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import type { NamedFile } from '../../kit/file-content.js';
import { contentOf, filesNamed, writerOf } from './file-content.js';

const DEFAULT_LINES = 10;
const NEWLINE = 0x0a;

export const head: ArchiveCommand = {
  name: 'head',
  usage: 'head [-n LINES] FILE...',
  summary: `the first lines of files, ${DEFAULT_LINES} when no number is given; head FILE LINES does the same`,
  options: [
    { name: '-n', value: 'LINES', isNumber: true, describe: 'so many lines; -20 is -n 20' },
    { name: '-c', value: 'BYTES', describe: 'so many bytes instead' },
  ],
  args: ['path'],
  minArgs: 1,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { words, lines, bytes } = asked(call);
    const files = await filesNamed(call, words);
    for (const [at, file] of files.entries()) {
      const name = displayPath(file.listing.path(file.index));
      if (files.length > 1) await call.out.write(`${at === 0 ? '' : '\n'}==> ${name} <==\n`);
      await begin(call, file, bytes === undefined ? upToLine(lines) : upToByte(bytes));
    }
  },
};

interface Asked {
  readonly words: ArchiveCall['args'];
  readonly lines: number;
  readonly bytes: number | undefined;
}

/** `head FILE 20` means lines, as it did before there were options. */
function asked({ args, options }: ArchiveCall): Asked {
  const bytes = options.count('-c', 'a number of bytes');
  const lines = options.count('-n', 'a number of lines');
  const [word, count, more] = args;
  const isCount = lines === undefined && bytes === undefined && more === undefined && /^\d+$/.test(count?.text ?? '');
  if (word === undefined || count === undefined || !isCount)
    return { words: args, lines: lines ?? DEFAULT_LINES, bytes };
  return { words: [word], lines: countOf(count.text, 'head wants a number of lines'), bytes };
}

/** Returns how much of the next bytes is wanted, and whether that is the end. */
type Cut = (bytes: Uint8Array) => { readonly end: number; readonly isEnough: boolean };

function upToLine(lines: number): Cut {
  let left = lines;
  return (bytes) => {
    let end = 0;
    while (left > 0 && end < bytes.byteLength) {
      const newline = bytes.indexOf(NEWLINE, end);
      if (newline < 0) return { end: bytes.byteLength, isEnough: false };
      end = newline + 1;
      left--;
    }
    return { end, isEnough: left === 0 };
  };
}

function upToByte(limit: number): Cut {
  let left = limit;
  return ({ byteLength }) => {
    const end = Math.min(left, byteLength);
    left -= end;
    return { end, isEnough: left === 0 };
  };
}

async function begin(call: ArchiveCall, file: NamedFile, cut: Cut): Promise<void> {
  if (cut(new Uint8Array()).isEnough) return;
  const writer = writerOf(call, file);
  for await (const bytes of contentOf(file, call, { mayStop: true })) {
    const { end, isEnough } = cut(bytes);
    await writer.write(bytes.subarray(0, end));
    // Leaving the loop ends the reading: the rest is not fetched.
    if (isEnough) return;
  }
}
