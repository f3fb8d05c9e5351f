// Decides which extended attributes are restored by default: `user.*`, whose meaning is up to programs, and ACLs, which are permissions.
// All others (`security.*` with file capabilities, `trusted.*`, future ones) can give a program privileges, as setuid does, and need the
// same flag: an archive must not be able to plant one.
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type Extra, type SelectedTable, STATE } from '../plan/selected-table.js';

const ACLS: ReadonlySet<string> = new Set(['system.posix_acl_access', 'system.posix_acl_default']);
const isHarmless = (name: RawPath): boolean => name.startsWith('user.') || ACLS.has(name);

export interface Screened {
  readonly extras: ReadonlyMap<number, Extra>;
  /** Number of attributes that an entry does not get. */
  readonly heldBack: ReadonlyMap<number, number>;
}

/** Returns the extras without the attributes that are not restored. */
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

/** Returns the warning about attributes that written entries did not get; undefined for none. A hard link has none of its own. */
export function heldBackNote(
  { table, heldBack }: Pick<Screened, 'heldBack'> & { readonly table: SelectedTable },
  hardlinks: ReadonlyMap<number, number>,
): string | undefined {
  let count = 0;
  for (const [index, own] of heldBack)
    if (table.columns.state[index] === STATE.done && !hardlinks.has(index)) count += own;
  if (count === 0) return undefined;
  const what = count === 1 ? '1 security attribute was' : `${count} security attributes were`;
  return `${what} not restored; archiver restore --keep-special-bits --overwrite always restores ${count === 1 ? 'it' : 'them'}`;
}
