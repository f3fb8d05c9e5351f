import { displayPath } from '../../../core/platform/paths/raw-path.js';
import type { ArchiveCommand } from '../archive-command.js';
import { contentOf, ContentWriter, filesNamed } from './file-content.js';

export const cat: ArchiveCommand = {
  name: 'cat',
  usage: 'cat FILE...',
  summary: 'print files; fetches only the frames that hold them',
  args: ['path'],
  minArgs: 1,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { args, out } = call;
    for (const file of await filesNamed(call, args)) {
      const writer = new ContentWriter(out, displayPath(file.listing.path(file.index)));
      for await (const bytes of contentOf(file, call)) await writer.write(bytes);
    }
  },
};
