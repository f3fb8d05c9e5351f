import type { ArchiveCommand } from '../archive-command.js';
import { contentOf, filesNamed, writerOf } from './file-content.js';

export const cat: ArchiveCommand = {
  name: 'cat',
  usage: 'cat FILE...',
  summary: 'print files; fetches only the frames that hold them',
  args: ['path'],
  minArgs: 1,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    for (const file of await filesNamed(call, call.args)) {
      const writer = writerOf(call, file);
      for await (const bytes of contentOf(file, call)) await writer.write(bytes);
    }
  },
};
