// Loaded before the program: stops the process right before it puts the nth object under such a key in a folder store, or
// after that, when it next puts or lists anything (SOAK_STOP_AT: `before 1 manifest\.json\.gz$`). On S3 the proxy does the same.
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const [when, nth, ...pattern] = (process.env['SOAK_STOP_AT'] ?? '').split(' ');
const path = new RegExp(pattern.join(' '));
let seen = 0;
let isDue = false;

function stopIfDue() {
  if (!isDue) return;
  isDue = false;
  process.kill(process.pid, 'SIGSTOP');
}

if (isMainThread && when !== '') {
  const { link, readdir, opendir } = fsp;
  fsp.link = async function watched(from, to) {
    stopIfDue();
    const isIt = path.test(String(to)) && ++seen === Number(nth);
    isDue = isIt && when === 'before';
    stopIfDue();
    await link.call(this, from, to);
    isDue = isIt && when === 'after';
  };
  for (const [name, list] of Object.entries({ readdir, opendir }))
    fsp[name] = function watched(...args) {
      stopIfDue();
      return list.apply(this, args);
    };
  syncBuiltinESMExports();
}
