import { usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, printable } from '../../../core/platform/paths/raw-path.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import type { NamedFile } from '../../kit/file-content.js';
import { contentOf, filesNamed, writerOf } from './file-content.js';

const DEFAULT_LINES = 10;
const NEWLINE = 0x0a;

export const head: ArchiveCommand = {
  name: 'head',
  usage: 'head FILE [LINES]',
  summary: `the first lines of a file, ${DEFAULT_LINES} when no number is given`,
  args: ['path', 'nothing'],
  minArgs: 1,
  maxArgs: 2,
  async run(call) {
    const { args, out } = call;
    const [word, count] = args;
    const lines = count === undefined ? DEFAULT_LINES : Number(count.text);
    if (!Number.isSafeInteger(lines) || lines < 0)
      throw usageError(`'${printable(count?.text ?? '')}' is not a number of lines`, 'such as head FILE 20');
    const files = await filesNamed(call, word === undefined ? [] : [word]);
    for (const file of files) {
      if (files.length > 1) await out.write(`==> ${displayPath(file.listing.path(file.index))} <==\n`);
      await firstLines(call, file, lines);
    }
  },
};

async function firstLines(call: ArchiveCall, file: NamedFile, lines: number): Promise<void> {
  if (lines === 0) return;
  const writer = writerOf(call, file);
  let left = lines;
  for await (const bytes of contentOf(file, call, { mayStop: true })) {
    let end = 0;
    while (left > 0 && end < bytes.byteLength) {
      const newline = bytes.indexOf(NEWLINE, end);
      if (newline < 0) break;
      end = newline + 1;
      left--;
    }
    await writer.write(left === 0 ? bytes.subarray(0, end) : bytes);
    // Leaving the loop ends the reading: the rest is not fetched.
    if (left === 0) return;
  }
}
