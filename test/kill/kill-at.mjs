// Loaded before the program: ends the process with SIGKILL before its n-th change to a file system (ARCHIVER_KILL_AT), or
// writes how many there were to the file ARCHIVER_KILL_COUNT. The program itself knows nothing of it.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const CHANGES = ['link', 'mkdir', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile', 'appendFile', 'copyFile', 'truncate'];
const HANDLE_CHANGES = ['write', 'writev', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate'];
const killAt = Number(process.env['ARCHIVER_KILL_AT'] ?? 0);
const countFile = process.env['ARCHIVER_KILL_COUNT'];
const writeCount = fs.writeFileSync;
let changes = 0;

function step() {
  changes += 1;
  if (changes === killAt) process.kill(process.pid, 'SIGKILL');
}

function watch(owner, name) {
  const original = owner[name];
  owner[name] = function watched(...args) {
    step();
    return original.apply(this, args);
  };
}

if (isMainThread && (killAt > 0 || countFile !== undefined)) {
  for (const name of CHANGES) {
    watch(fsp, name);
    watch(fs, `${name}Sync`);
  }
  const open = fsp.open;
  let isPatched = false;
  fsp.open = async function watched(path, flags = 'r', mode = undefined) {
    if (flags !== 'r') step();
    const handle = await open.call(this, path, flags, mode);
    if (!isPatched) {
      isPatched = true;
      for (const name of HANDLE_CHANGES) watch(Object.getPrototypeOf(handle), name);
    }
    return handle;
  };
  syncBuiltinESMExports();
  if (countFile !== undefined) process.on('exit', () => writeCount(countFile, String(changes)));
}
