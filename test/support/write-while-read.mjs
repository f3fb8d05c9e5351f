// Loaded before the program: each time it reads from the file that ARCHIVER_TEST_GROWING names, somebody has just written to it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const growing = process.env['ARCHIVER_TEST_GROWING'];
const { ino } = fs.statSync(growing);
const { readSync } = fs;
fs.readSync = function watched(descriptor, ...rest) {
  if (fs.fstatSync(descriptor).ino === ino) fs.appendFileSync(growing, 'more\n');
  return readSync.call(this, descriptor, ...rest);
};
syncBuiltinESMExports();
