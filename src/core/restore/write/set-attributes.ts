// Sets extended attributes of an open file or folder. The group bits of a mode with an access control list are its mask, the most that anybody
// named there has: where the list cannot be set, the owning group must not get them.
import { modeWithoutList } from '../../format/tar/posix-acl.js';
import { type RawPath, rawFromLatin1 } from '../../platform/paths/raw-path.js';

const ACCESS = rawFromLatin1('system.posix_acl_access');

/** Sets what can be set, calls `failed` for the rest, and returns what makes of a recorded mode the one to set. */
export function setAttributes(
  set: (name: RawPath, value: Uint8Array) => void,
  xattrs: ReadonlyMap<RawPath, Uint8Array> | undefined,
  failed: (name: RawPath, error: unknown) => void,
): (mode: number) => number {
  let lost: Uint8Array | undefined;
  for (const [name, value] of xattrs ?? []) {
    try {
      set(name, value);
    } catch (error) {
      failed(name, error);
      if (name === ACCESS) lost = value;
    }
  }
  return (mode) => (lost === undefined ? mode : modeWithoutList(mode, lost));
}
