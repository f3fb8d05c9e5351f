import { loadLibc, noLibcReason } from '../../platform/libc/libc.js';
import { LibcTree } from './libc-tree.js';
import { NodeTree } from './node-tree.js';
import type { OutputTree } from './output-tree.js';
import type { WriteSettings } from './write-settings.js';

/** Opens the best output tree that this machine allows, below the output folder of these settings. */
export function openTree(settings: Pick<WriteSettings, 'rootFd' | 'rootPath' | 'gid'>): OutputTree {
  const libc = loadLibc();
  if (libc === undefined || settings.rootFd === undefined) return new NodeTree(settings.rootPath, settings.gid);
  return new LibcTree(libc, settings.rootFd, settings.gid);
}

/** Describes for people what cannot be restored on this machine; undefined when everything can. */
export const treeLoss = (): string | undefined =>
  loadLibc() === undefined
    ? `extended attributes are not restored, and times are cut to the microsecond (${noLibcReason()})`
    : undefined;
