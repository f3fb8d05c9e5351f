// npm test: installs, and runs every suite that needs only Node and npm; vitest builds before them (test/support/build-dist.ts).
// npm run test:servers: starts the Ceph gateway and moto and runs the suites that need them.
import { readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { install } from './install.mjs';

const withServers = process.argv.includes('--servers');
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

install();
rmSync(new URL('../tmp/vitest.json', import.meta.url), { force: true });

let servers;
if (withServers) {
  const { startServers } = await import('../test/servers/start-servers.mjs');
  servers = await startServers();
}
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...filters], {
  cwd: new URL('..', import.meta.url),
  stdio: 'inherit',
  env: { ...process.env, ...(servers ? { ...servers.env, ARCHIVER_TEST_SERVERS: '1' } : {}) },
});
await servers?.stop();

if (!withServers) {
  console.log('left out here: the suites *.servers.test.ts, which need real S3 servers (npm run test:servers)');
}
const report = readReport();
// What no test stands for, such as an exception that nobody waited for.
if (status !== 0 && report.numFailedTests === 0) report.numFailedTests = 1;
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`);
process.exitCode = status ?? 1;

function readReport() {
  try {
    return JSON.parse(readFileSync(new URL('../tmp/vitest.json', import.meta.url), 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0 };
  }
}
