// Which agent it is that speaks for a writer: ids that take turns in its heartbeats mean that it was cloned.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Linux: random, made when the system starts. Containers have that of their host. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * A new one for each service. An agent that is started for each cycle (`once`) would never have one twice, and two of them would
 * never be seen to take turns: it has the same as long as its computer is up, where the system tells that.
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
