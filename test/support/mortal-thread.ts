// Worker threads that die in the ways in which threads die.
const FATES = {
  throws: `throw new Error('it broke')`,
  rejects: `Promise.reject(new Error('it broke'))`,
  exits: `process.exit(0)`,
  'closes its port': `parentPort.close()`,
  'never answers': ``,
  'does not even end': `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
} as const;

export type Fate = keyof typeof FATES;

/** The file of a thread that meets its fate at its start, or with the first message of type `when`. */
export function mortalThread(fate: Fate, when: string): URL {
  const code = `
    import { parentPort } from 'node:worker_threads';
    const meetFate = () => { ${FATES[fate]} };
    if (${JSON.stringify(when)} === 'start') meetFate();
    parentPort.on('message', ({ type }) => {
      if (type === ${JSON.stringify(when)}) meetFate();
      else if (type === 'close') parentPort.close();
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
