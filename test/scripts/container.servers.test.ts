// The image of the Containerfile, built and run; where buildah cannot be had, or may not run anything, it is left out and says why.
import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

/** What the script ends with where it cannot be run. */
const CANNOT = 77;
/** It installs from the registry and builds, half a minute of CPU time. */
const TIMEOUT_MS = 600_000;

it(
  'the Containerfile makes an image whose agent runs as a user without a name on a root file system that is read-only',
  async ({ skip }) => {
    const [status, stdout, stderr] = await new Promise<[unknown, string, string]>((resolve) =>
      execFile('bash', ['scripts/test-container.sh'], (error, ...said) => resolve([error?.code ?? 0, ...said])),
    );

    if (status === CANNOT) process.stderr.write(`left out: the image of the Containerfile (${stderr.trim()})\n`);
    skip(status === CANNOT, stderr);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain('ok: built, and run as user 1000 on a read-only root');
  },
  TIMEOUT_MS,
);
