// npm test: installs, and runs every suite that needs only Node and npm; vitest builds before them (test/support/build-dist.ts).
// npm run test:servers: starts the Ceph gateway and moto and runs the suites that need them.
import { install } from './install.mjs';
import { runVitest, tellCounts } from './run-vitest.mjs';

const withServers = process.argv.includes('--servers');
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

install();

let servers;
if (withServers) {
  const { startServers } = await import('../test/servers/start-servers.mjs');
  servers = await startServers();
}
const counts = runVitest(filters, { env: servers && { ...servers.env, ARCHIVER_TEST_SERVERS: '1' } });
await servers?.stop();

if (!withServers) {
  console.log('left out here: the suites *.servers.test.ts, which need real S3 servers (npm run test:servers)');
}
tellCounts(counts);
