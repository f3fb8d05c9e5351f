import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const HEAD_BYTES = 33;

/** Resolves when the upload that is saved in the folder `state` has noted so many bytes of what the store has acknowledged. */
export async function untilNoted(state: string, bytes = 100): Promise<void> {
  await expect.poll(() => notedIn(state), { interval: 20 }).toBeGreaterThanOrEqual(HEAD_BYTES + bytes);
}

function notedIn(state: string): number {
  const name = existsSync(state) ? readdirSync(state).find((one) => one.endsWith('.entries')) : undefined;
  return name === undefined ? 0 : statSync(join(state, name)).size;
}
