// Identifies the process that holds a lock, and whether it still runs. A process id is meaningful only in its pid namespace: in another
// container the same number is another process, or none.
import { readFileSync, readlinkSync } from 'node:fs';
import { readJson } from '../documents/read-document.js';
import * as s from '../documents/schema.js';
import { isArchiverError, systemCode } from '../failures/errors.js';

/** The fields of a process that holds something. */
export const HOLDER = {
  pid: s.count,
  host: s.text,
  /** Boot id and start time, which distinguish processes with the same id; empty when the system does not tell. */
  start: s.text,
  /** The pid namespace of the id; empty when the system has none, or does not tell. */
  namespace: s.orElse(s.text, ''),
};
const LOCK = s.schema(() => s.object(HOLDER));
export type LockHolder = s.Read<typeof LOCK>;

/** Returns this process as a holder. */
export const ownHolder = (host: string): LockHolder => ({
  pid: process.pid,
  host,
  start: processStart(process.pid) ?? '',
  namespace: ownNamespace(),
});

/** Returns the holder of a lock that does not contain one yet. */
export const unknownHolder = (host: string): LockHolder => ({ pid: 0, host, start: '', namespace: '' });

export function parseHolder(text: string): LockHolder | undefined {
  try {
    return readJson(LOCK, text, 'a lock', 1);
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    return undefined; // incomplete, or not ours
  }
}

/** Tells whether the holder still runs, as far as this process can know; `ownHost` is this computer. Unknown must be treated as alive. */
export function holderStatus(
  { pid, host, start, namespace }: LockHolder,
  ownHost: string,
): 'alive' | 'dead' | 'unknown' {
  if (host !== ownHost || namespace !== ownNamespace()) return 'unknown';
  // Linux has namespaces: when this one is not known, process ids cannot be compared.
  if (namespace === '' && process.platform === 'linux') return 'unknown';
  const now = processStart(pid);
  if (now === undefined) return 'dead';
  if (now !== '') return start === '' || now === start ? 'alive' : 'dead';
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : 'alive'; // EPERM: it exists and belongs to another user
  }
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // another system, or one that does not show it
  }
}

/** Returns when the process began, as Linux counts it; empty when the system does not tell; undefined when there is no such process. */
function processStart(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything; the start time is the 22nd.
    const [status, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const isDead = status === 'Z' || status === 'X'; // a zombie: its parent has not waited for it
    return isDead ? undefined : `${boot}:${fields[18] ?? ''}`;
  } catch (error) {
    return systemCode(error) === 'ENOENT' && hasProc() ? undefined : '';
  }
}

function hasProc(): boolean {
  try {
    return readFileSync('/proc/self/stat', 'utf8') !== '';
  } catch {
    return false;
  }
}
