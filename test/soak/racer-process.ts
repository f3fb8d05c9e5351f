// The process of a racer: runs what it is sent, in the home that it was started with.
import { program } from '../../src/commands/index.js';
import { retainThreads } from '../../src/core/platform/threads/threads.js';
import { runCommand } from '../support/run-command.js';

const [, , home = ''] = process.argv;
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const root = program();
retainThreads();

process.on('message', (args: readonly string[]) => {
  const host = {
    root,
    folder: home,
    env: { ...env, ARCHIVER_HOME: `${home}/.archiver`, ARCHIVER_CREATE_ONCE: 'auto' },
  };
  void runCommand(host, args).then((ran) => process.send?.(ran));
});
// Whoever started it is gone: what it was told last matters to nobody.
process.once('disconnect', () => void process.kill(process.pid, 'SIGKILL'));
process.send?.('ready');
