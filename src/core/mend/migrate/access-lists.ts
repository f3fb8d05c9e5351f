// Access control lists of members of foreign tars become the attributes that the kernel has them in.
import { ACL_RECORDS, aclFromText, aclMode, type AccountIds, isPlainMode } from '../../format/tar/posix-acl.js';
import type { TarMember } from '../../format/tar/tar-member.js';
import { type RawPath, rawFromLatin1 } from '../../platform/paths/raw-path.js';
import type { Losses } from './losses.js';

/** What NFS and macOS have instead, which Linux cannot set. */
const NFS_LIST = 'SCHILY.acl.ace';
const RECORDS = [...ACL_RECORDS.values(), NFS_LIST];

const ACCESS = rawFromLatin1('system.posix_acl_access');

/**
 * Returns a file or folder with its lists among `xattrs`, and with the mode that they give. An attribute that the archive has as such goes
 * before its text. `losses` counts a member with a list that cannot be kept.
 */
export function withAccessLists(member: TarMember, accounts: AccountIds, losses: Losses): TarMember {
  if (member.kind !== 'file' && member.kind !== 'directory') return member;
  if (!RECORDS.some((record) => member.records.has(record)) && member.xattrs?.has(ACCESS) !== true) return member;
  const { xattrs, isLost } = attributesOf(member, accounts);
  if (isLost) losses.accessLists++;
  const list = xattrs.get(ACCESS);
  const bits = list && aclMode(list);
  if (list !== undefined && isPlainMode(list)) xattrs.delete(ACCESS);
  const mode = bits === undefined ? member.mode : (member.mode & ~0o777) | bits;
  return { ...member, mode, xattrs: xattrs.size === 0 ? undefined : xattrs };
}

interface WithLists {
  readonly xattrs: Map<RawPath, Buffer>;
  readonly isLost: boolean;
}

function attributesOf({ records, xattrs: own }: TarMember, accounts: AccountIds): WithLists {
  const xattrs = new Map<RawPath, Buffer>(own);
  let isLost = records.has(NFS_LIST);
  for (const [attribute, record] of ACL_RECORDS) {
    const name = rawFromLatin1(attribute);
    const text = records.get(record);
    if (text === undefined || xattrs.has(name)) continue;
    const bytes = aclFromText(text, accounts);
    if (bytes === undefined) isLost = true;
    else xattrs.set(name, bytes);
  }
  return { xattrs, isLost };
}
