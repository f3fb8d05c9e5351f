// Loaded with `--import` before the program: when the program begins and all of its code is there, it says so and waits at
// a FIFO. Whoever attaches a tracer meanwhile meets what the program does, and not the loading of Node and of modules.
import { openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const gate = process.env.ARCHIVER_TEST_GATE;
if (isMainThread && gate !== undefined) {
  const dist = new URL('./', `file://${process.argv[1]}`);
  // `main` is the program itself: it begins as it is imported.
  for (const name of readdirSync(new URL('chunks/', dist)))
    if (name.endsWith('.js') && !name.startsWith('main-')) await import(new URL(`chunks/${name}`, dist).href);
  for (const name of ['meow', 'yaml', 'ignore', 'picomatch', 'string-width']) await import(name);
  const on = process.on.bind(process);
  process.on = (name, listener) => {
    // The first thing that the program does.
    if (name === 'SIGTERM') wait();
    return on(name, listener);
  };
}

function wait() {
  const fifo = openSync(gate, 'r+');
  writeFileSync(`${gate}.ready`, String(process.pid));
  readSync(fifo, Buffer.alloc(1));
}
