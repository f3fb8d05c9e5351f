import { loadLibc } from '../../platform/libc/libc.js';
import { portableSourceFs } from './source-fs-portable.js';
import { posixSourceFs } from './source-fs-posix.js';
import type { SourceFs } from './source-fs.js';

/** The best view this platform offers. */
export function openSourceFs(): SourceFs {
  const libc = loadLibc();
  return libc === undefined ? portableSourceFs() : posixSourceFs(libc);
}
