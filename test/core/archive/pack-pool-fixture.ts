// Closes packing threads at every moment of their start. Prints `done` when the process is still there.
import { setTimeout as sleep } from 'node:timers/promises';
import { PackPool } from '../../../src/core/archive/pack-pool.js';

for (let milliseconds = 0; milliseconds < 150; milliseconds += 3) {
  const pool = new PackPool(2);
  await sleep(milliseconds);
  await pool.close();
}
process.stdout.write('done\n');
