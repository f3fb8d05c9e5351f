// The kinds of profiles, by the names of `profile collect`.

export const KINDS = ['cpu', 'memory', 'goroutine', 'block', 'mutex', 'trace', 'allocs'] as const;
export type Kind = (typeof KINDS)[number];

/** The meaning of each kind in Node. */
export const MEANINGS: Readonly<Record<Kind, string>> = {
  cpu: 'CPU time of all threads, looked at every 10 ms',
  memory: 'JavaScript memory in use that was allocated since sampling began; buffers are not in it',
  goroutine: 'Node has no goroutines: what the process waits for by kind, and its threads',
  block: 'Node has no goroutines: what the main thread ran while its event loop was blocked for 50 ms or more',
  mutex: 'Node has no mutexes: how long worker threads waited for work',
  trace: 'event loop, garbage collection, files, sockets, thread pool; opens in ui.perfetto.dev',
  allocs: 'JavaScript memory that was allocated meanwhile, in use or not; buffers are not in it',
};
