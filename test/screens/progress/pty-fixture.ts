// A program that shows a fake upload the way a command would, for tests that look at it through a terminal.
// The argument says how it goes on: `finish`, `fail`, `wait` for an interruption, `ask` something in the middle, or finish
// and `tell` what was loaded.
import { createRequire } from 'node:module';
import { type Aside, type ProgressContext, runWithProgress } from '../../../src/cli/progress.js';
import { ArchiverError, cancelledError } from '../../../src/core/platform/failures/errors.js';
import type { EventSink } from '../../../src/core/events/events.js';

const MIB = 1024 ** 2;
const controller = new AbortController();
process.on('SIGINT', () => controller.abort(cancelledError()));

const ctx: ProgressContext = {
  signal: controller.signal,
  env: process.env,
  stderr: process.stderr,
  quiet: false,
  now: () => new Date(),
  colors: { stdout: false, stderr: !process.env['NO_COLOR'] },
  warn: (text) => void process.stdout.write(`! ${text}\n`),
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function upload(emit: EventSink, aside: Aside, ending: string): Promise<void> {
  emit({
    type: 'start',
    operation: 'upload',
    source: `/data/${'very-long-name-'.repeat(20)}`,
    target: 's3://bucket/lab/uploads/20251114-093012-a41f',
  });
  emit({
    type: 'plan',
    items: 1000,
    bytes: 1000 * MIB,
    chunks: 20,
    shardBytes: Array.from({ length: 10 }, () => 100 * MIB),
  });
  emit({ type: 'phase', phase: 'transferring' });
  emit({ type: 'note', text: 'owners are not kept \u001b[31m' });
  emit({ type: 'chunk', state: 'started', chunk: 0, shard: 7, rawBytes: 0, storedBytes: 0 });
  const steps = ending === 'wait' ? Number.POSITIVE_INFINITY : 10;
  for (let step = 0; step < steps; step += 1) {
    emit({
      type: 'progress',
      items: step,
      bytes: Math.min(1000, step) * MIB,
      path: `データ/${'深い/'.repeat(40)}file-${step}\u001b[2J.bin`,
    });
    await sleep(50);
    if (controller.signal.aborted) {
      await sleep(300);
      throw controller.signal.reason;
    }
  }
  if (ending === 'ask') {
    await aside(async () => {
      process.stderr.write('Go on? ');
      await sleep(700);
      process.stderr.write('yes\n');
    });
    emit({ type: 'note', text: 'second note' });
    emit({ type: 'progress', items: 500, bytes: 500 * MIB });
    await sleep(700);
  }
  if (ending === 'fail') throw new ArchiverError('io', 'the disk is gone');
}

const ending = process.argv[2] ?? 'finish';
process.stdout.write('before\n');
try {
  await runWithProgress(ctx, {}, (emit, aside) => upload(emit, aside, ending));
  process.stdout.write('after: done\n');
} catch (error) {
  process.stdout.write(`after: ${error instanceof Error ? error.message : ''}\n`);
}
const isInkLoaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/react/'));
if (ending === 'tell') process.stdout.write(`ink ${isInkLoaded ? 'was' : 'was not'} loaded\n`);
