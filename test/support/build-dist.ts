// Builds dist/ before tests that need it, and before no others: they start what is in src, never an older dist.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { createNeedsDist } from './needs-dist.js';

export default function setup(project: TestProject): void {
  buildFor(project.vitest.state.getPaths());
  project.onTestsRerun((specifications) => buildFor(specifications.map(({ moduleId }) => moduleId)));
}

function buildFor(files: readonly string[]): void {
  if (!files.some(createNeedsDist())) return;
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url)), '--no-types'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
  });
}
