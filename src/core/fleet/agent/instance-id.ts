// Identifies the agent process that acts for a writer: ids that alternate in its heartbeats mean that it was cloned.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** On Linux, a random id made at boot. Containers have that of their host. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Returns a new id for each service. An agent that is started for each cycle (`once`) would otherwise never have the same id twice, and two
 * of them would never be seen to alternate: it keeps the same id until its computer reboots, where the system has a boot id.
 */
export function instanceIdOf(writerId: string, once: boolean, bootIdPath = BOOT_ID): string {
  const bootId = once ? bootIdIn(bootIdPath) : undefined;
  return bootId === undefined
    ? randomUUID()
    : createHash('sha256').update(`${bootId}\n${writerId}`).digest('hex').slice(0, 32);
}

function bootIdIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined; // another system, or one that does not show it
  }
}
