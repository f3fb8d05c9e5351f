// When everything is restored into a new output folder, it gets the metadata of the source folder.
import type { SourceRecord } from '../../manifest/manifest-types.js';
import { restoredMode } from './file-metadata.js';
import type { Writing } from './folders.js';
import { failureReason } from '../../output-tree/refusal.js';
import { HERE, TOP } from '../../paths/raw-path.js';

/** Gives a new output folder the owner, mode and time of the source folder. */
export function finishRoot({ tree, settings, failures }: Writing, source: SourceRecord): void {
  try {
    const fd = tree.openFolder(TOP);
    try {
      const mode = restoredMode(source.mode, true, settings.keepSpecialBits);
      const owner = settings.isRoot ? { uid: source.uid, gid: source.gid } : undefined;
      tree.describe(fd, { mtime: source.mtime, mode, owner });
    } finally {
      tree.close(fd);
    }
  } catch (error) {
    failures.add(HERE, failureReason(error));
  }
}
