// Runs vitest and says what came of it, for the scripts that count tests.
import { readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const REPORT = new URL('../tmp/vitest.json', import.meta.url);

/** Runs `vitest run` with these arguments on a Node (its path); returns how many tests `passed`, `failed` and were `skipped`. */
export function runVitest(args, { node = process.execPath, env = {} } = {}) {
  rmSync(REPORT, { force: true });
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    cwd: new URL('..', import.meta.url),
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = readReport();
  // What no test stands for, such as an exception that nobody waited for.
  return { passed, failed: status === 0 ? numFailedTests : Math.max(1, numFailedTests), skipped };
}

/** Says the counts as the last line of a run, and fails the process with them. */
export function tellCounts({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0) process.exitCode = 1;
}

function readReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  }
}
