// Where the worker threads' files are. Bundled code runs from dist/ (the entry) or dist/chunks/ (code loaded later);
// from TypeScript source (tests) the workers of the last build are used.

/** The file of a worker thread's entry, e.g. `unpack-worker`. `from` is the URL of the code that asks. */
export function workerUrl(name: string, from: string = import.meta.url): URL {
  if (from.endsWith('.ts')) return new URL(`../../../dist/${name}.js`, from);
  const isSplitOff = /\/chunks\/[^/]*$/.test(from);
  return new URL(`${isSplitOff ? '../' : './'}${name}.js`, from);
}
