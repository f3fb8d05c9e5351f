// Loaded before the program (`node --import`): a clock that stands still until the world moves it, and chances that are none. Times,
// rates, ids and waits on a screenshot are the same whenever it is taken.
import { readFileSync } from 'node:fs';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const START = Date.parse('2025-11-14T12:04:31Z');
const file = process.env.ARCHIVER_TEST_CLOCK;
const RealDate = Date;
const now = () => START + (file === undefined ? 0 : Number(readFileSync(file, 'utf8')));

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }
  static now() {
    return now();
  }
};
performance.now = () => now() - START;
Math.random = () => 0;
let drawn = 0;
crypto.randomBytes = (size) => Buffer.alloc(size, `a41f${drawn++}`);
syncBuiltinESMExports();
