// Run as a process of its own with ARCHIVER_NO_LIBC=1: the binding is loaded once a process, and workers inherit it.
import { restoreUpload } from '../../src/core/restore/restore.js';
import { makeArchive } from './make-archive.js';
import { memoryReader } from './memory-reader.js';
import { restoreSettings } from './restore-settings.js';

const archive = makeArchive({
  files: [
    { path: 'a.txt', content: 'alpha' },
    { path: 'dir', type: 'directory', mode: '0755' },
    { path: 'dir/b', content: 'x'.repeat(200_000) },
    { path: 'link', type: 'symlink', target: 'a.txt' },
  ],
});
const notes: string[] = [];
const result = await restoreUpload({
  ...restoreSettings(),
  reader: memoryReader(archive.objects),
  uploadId: archive.uploadId,
  outputDir: process.argv[2] ?? '',
  emit: (event) => {
    if (event.type === 'note') notes.push(event.text);
  },
});
process.stdout.write(JSON.stringify({ failed: result.failed, notes }));
