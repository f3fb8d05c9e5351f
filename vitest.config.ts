import { defineConfig } from 'vitest/config';

// `npm test` runs everything that needs only Node and npm; `npm run test:servers` the suites named *.servers.test.ts.
// What is shown is local time; here it is the same on every machine.
process.env['TZ'] = 'UTC';

const servers = process.env['ARCHIVER_TEST_SERVERS'] === '1';

export default defineConfig({
  test: {
    include: servers ? ['test/**/*.servers.test.{ts,tsx}'] : ['test/**/*.test.{ts,tsx}'],
    exclude: servers ? [] : ['test/**/*.servers.test.{ts,tsx}'],
    // Ink draws nothing where it sees CI; the tests decide by themselves what kind of terminal there is.
    env: { CI: 'false' },
    globalSetup: 'test/support/build-dist.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'tmp/vitest.json' }]],
  },
});
