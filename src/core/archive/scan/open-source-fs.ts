import { loadLibc } from '../../platform/libc/libc.js';
import { portableSourceFs } from './source-fs-portable.js';
import { posixSourceFs } from './source-fs-posix.js';
import type { SourceFs } from './source-fs.js';

/** Opens the best view of files that this platform offers. */
export function openSourceFs(): SourceFs {
  const libc = loadLibc();
  return libc === undefined ? portableSourceFs() : posixSourceFs(libc);
}
