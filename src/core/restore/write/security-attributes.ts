// Which extended attributes a restore gives back without being asked: `user.*`, which mean what programs make of them, and
// ACLs, which are permissions. All others (`security.*` with file capabilities, `trusted.*`, what comes later) can make a
// program run with rights of its own, as setuid does, and wait for the same flag: an archive must not be able to plant one.
import type { RawPath } from '../../paths/raw-path.js';
import type { Extra } from '../plan/selected-table.js';

const ACLS: ReadonlySet<RawPath> = new Set(['system.posix_acl_access', 'system.posix_acl_default']);
const isHarmless = (name: RawPath): boolean => name.startsWith('user.') || ACLS.has(name);

export interface Screened {
  readonly extras: ReadonlyMap<number, Extra>;
  /** How many attributes an entry does not get. */
  readonly heldBack: ReadonlyMap<number, number>;
}

/** The extras without the attributes that are not restored. */
export function screenAttributes(extras: ReadonlyMap<number, Extra>, keepSpecialBits: boolean): Screened {
  const heldBack = new Map<number, number>();
  if (keepSpecialBits) return { extras, heldBack };
  const screened = new Map<number, Extra>();
  for (const [index, extra] of extras) {
    const { xattrs, ...rest } = extra;
    const kept = new Map([...(xattrs ?? [])].filter(([name]) => isHarmless(name)));
    const count = (xattrs?.size ?? 0) - kept.size;
    if (count === 0) continue;
    heldBack.set(index, count);
    screened.set(index, kept.size === 0 ? rest : { ...rest, xattrs: kept });
  }
  return { extras: heldBack.size === 0 ? extras : new Map([...extras, ...screened]), heldBack };
}

/** What is said of attributes that were not restored; undefined for none. */
export function heldBackNote(count: number): string | undefined {
  if (count === 0) return undefined;
  const what = count === 1 ? '1 security attribute was' : `${count} security attributes were`;
  return `${what} not restored; archiver restore --keep-special-bits --overwrite always restores ${count === 1 ? 'it' : 'them'}`;
}
