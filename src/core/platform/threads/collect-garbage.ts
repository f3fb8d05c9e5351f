// Runs the garbage collector explicitly. Memory outside the heap (results of addons, shared memory) does not trigger it, so it is called
// where much of that is garbage and nothing happens for a while.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects the garbage of this thread; takes some milliseconds for each 10 MB of its heap. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc'); // the function exists only in contexts created after this
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
