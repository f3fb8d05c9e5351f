// Memory outside the heap (results of addons, shared memory) does not hurry the collector: where much of it is garbage and
// nothing happens for a while, the collector is called.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects the garbage of this thread; takes some milliseconds for each 10 MB of its heap. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc'); // its function exists in contexts that are made after this
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
