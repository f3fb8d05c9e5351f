// Loaded before the program: ends the process with SIGKILL before a change to a file system (ARCHIVER_KILL_AT), or writes
// a line for each change to the file ARCHIVER_KILL_LIST. The program itself knows nothing of it. A change is called by its
// kind and how often there was one of that kind: `link /store/uploads/#/manifest.json.gz 1`.
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const CHANGES = ['link', 'mkdir', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile', 'appendFile', 'copyFile', 'truncate'];
const HANDLE_CHANGES = ['write', 'writev', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate'];
const killAt = process.env['ARCHIVER_KILL_AT'];
const listFile = process.env['ARCHIVER_KILL_LIST'];
const writeList = fs.writeFileSync;
const opened = new WeakMap();
const changes = [];
const counts = new Map();

function step(name, path) {
  const inWorld = String(path).replace(/^.*?\/live\//, '/');
  const kind = `${name} ${inWorld.replace(/[0-9a-f]{8,}(?:-[0-9a-f]+)*|[0-9]+/g, '#')}`;
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  const change = `${kind} ${count}`;
  if (listFile !== undefined) changes.push(change);
  if (change === killAt) process.kill(process.pid, 'SIGKILL');
}

/** What a link or a new name is called is said last. */
function watch(owner, name, pathOf = (_owner, from, to) => (/^(?:link|rename|copyFile)/.test(name) ? to : from)) {
  const original = owner[name];
  owner[name] = function watched(...args) {
    step(name, pathOf(this, ...args));
    return original.apply(this, args);
  };
}

if (isMainThread && (killAt !== undefined || listFile !== undefined)) {
  for (const name of CHANGES) {
    watch(fsp, name);
    watch(fs, `${name}Sync`);
  }
  const open = fsp.open;
  let isPatched = false;
  fsp.open = async function watched(path, flags = 'r', mode = undefined) {
    if (flags !== 'r') step('open', path);
    const handle = await open.call(this, path, flags, mode);
    opened.set(handle, path);
    if (!isPatched) {
      isPatched = true;
      for (const name of HANDLE_CHANGES) watch(Object.getPrototypeOf(handle), name, (file) => opened.get(file));
    }
    return handle;
  };
  syncBuiltinESMExports();
  if (listFile !== undefined) process.on('exit', () => writeList(listFile, changes.join('\n')));
}
