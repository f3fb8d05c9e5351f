// The output folder itself stands for the source folder when everything is restored into a new one.
import type { SourceRecord } from '../../manifest/manifest-types.js';
import { restoredMode } from './file-metadata.js';
import type { FolderJob } from './folders.js';
import { failureReason } from '../../output-tree/refusal.js';

/** Gives a new output folder the owner, mode and time of the source folder. */
export function finishRoot({ tree, settings, failures }: FolderJob, source: SourceRecord): void {
  try {
    const fd = tree.openFolder('');
    try {
      const mode = restoredMode(source.mode, true, settings.keepSpecialBits);
      const owner = settings.isRoot ? { uid: source.uid, gid: source.gid } : undefined;
      tree.describe(fd, { mtime: source.mtime, mode, owner });
    } finally {
      tree.close(fd);
    }
  } catch (error) {
    failures.add('.', failureReason(error));
  }
}
