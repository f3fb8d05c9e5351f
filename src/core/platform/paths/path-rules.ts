// Decides which paths of a manifest are accepted. A path that breaks these rules is never joined to a folder, never written and never
// followed; the entry is reported and the others are restored. docs/decisions/003-hostile-paths.md explains why.
import type { RawPath } from './raw-path.js';

const DRIVE = /^[A-Za-z]:[\\/]/;
const WINDOWS_FORBIDDEN = /[\\:*?"<>|]|[. ](?:\/|$)/;
const WINDOWS_DEVICE = /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.[^/]*)?(?:\/|$)/i;

/** Returns why this path must not be written below an output folder; undefined when it may. */
export function pathProblem(path: RawPath, platform: NodeJS.Platform = process.platform): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.includes('\0')) return 'the path holds a zero byte';
  if (path.charCodeAt(0) === 47) return 'the path is absolute';
  if (DRIVE.test(path)) return 'the path begins with a drive letter';
  if (path.startsWith('\\\\')) return 'the path names a network share';
  const bad = badSegment(path);
  if (bad !== undefined) return bad;
  if (platform !== 'win32') return undefined;
  if (WINDOWS_FORBIDDEN.test(path)) return 'the path has characters that Windows does not allow';
  return WINDOWS_DEVICE.test(path) ? 'the path names a Windows device' : undefined;
}

function badSegment(path: RawPath): string | undefined {
  let start = 0;
  for (;;) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const length = end - start;
    if (length === 0) return 'the path has an empty part';
    if (path.charCodeAt(start) === 46) {
      if (length === 1) return "the path has a '.' part";
      if (length === 2 && path.charCodeAt(start + 1) === 46) return "the path has a '..' part";
    }
    if (slash < 0) return undefined;
    start = slash + 1;
  }
}
