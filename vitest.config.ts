import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
// @ts-expect-error -- build scripts are plain JavaScript
import { LEFT_OUT, LISTS, listWithout } from './scripts/without-feature.mjs';
import { unitTests } from './test/support/needs-dist.js';

// `npm test` runs everything that needs only Node and npm; `npm run test:unit` (--mode unit) what of that needs no build;
// `npm run test:servers` the suites named *.servers.test.ts.
// What is shown is local time; here it is the same on every machine.
process.env['TZ'] = 'UTC';

const servers = process.env['ARCHIVER_TEST_SERVERS'] === '1';

/** Minutes each: begun last, one of them runs alone at the end while the other core has nothing to do. */
const LONGEST =
  /\/(?:kill|kill-s3|histories|conformance|resume|model|slurm|dvc|fleet-drill|system-calls)(?:\.servers)?\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** A line for each failure, which `.ci/run` repeats at its end; also for what no test stands for. */
const failures: Reporter = {
  onTestRunEnd(modules, unhandled) {
    const tell = (what: string, errors: readonly { readonly message: string }[]): void =>
      console.log(`FAILED ${what}: ${errors[0]?.message.split('\n')[0] ?? ''}`);
    for (const module of modules) {
      if (module.errors().length > 0) tell(module.relativeModuleId, module.errors());
      for (const test of module.children.allTests('failed'))
        tell(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors ?? []);
    }
    if (unhandled.length > 0) tell('outside of a test', unhandled);
  },
};

/** Features that are left out of the program; scripts/without-feature.mjs names them. */
const leftOut = process.env[LEFT_OUT as string];

const withoutFeatures = (names: readonly string[]): Plugin => ({
  name: 'without-features',
  load(id) {
    const list = (LISTS as readonly string[]).find((one) => id.endsWith(`/${one}`));
    return list === undefined ? undefined : (listWithout(names, list) as string);
  },
});

export default defineConfig(({ mode }) => ({
  plugins: leftOut === undefined ? [] : [withoutFeatures(leftOut.split(' '))],
  test: {
    include:
      mode === 'unit' ? unitTests() : servers ? ['test/**/*.servers.test.{ts,tsx}'] : ['test/**/*.test.{ts,tsx}'],
    exclude: servers ? [] : ['test/**/*.servers.test.{ts,tsx}'],
    // Ink draws nothing where it sees CI; the tests decide by themselves what kind of terminal there is.
    env: { CI: 'false' },
    globalSetup: 'test/support/build-dist.ts',
    setupFiles: ['test/support/keep-threads.ts', 'test/support/ready.ts'],
    // For what hangs; a slow machine with other work takes ten times as long as a quiet one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000 } },
    // One more than CI has cores: tests of limits, signals and terminals mostly wait.
    maxWorkers: 3,
    // With V8's small heap of the beginning, memory outside of it (buffers of transfers) has a tenth of the CPU go to the collector.
    execArgv: ['--initial-heap-size=512', '--max-semi-space-size=64'],
    // Loading its modules anew would cost each file half a second of CPU. So a test puts back what it changes of the process
    // (environment, clock, umask), and nothing mocks a module.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ['json', { outputFile: 'tmp/vitest.json' }], failures],
  },
}));
