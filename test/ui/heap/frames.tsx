// Draws as many different frames as it is told to, and prints by how many bytes the heap has grown. Run with --expose-gc.
import { Writable } from 'node:stream';
import { Box, render } from 'ink';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { createKeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import { fixedSize } from '../../../src/ui/size.js';
import { Tint } from '../../../src/ui/theme.js';

const WARM_UP = 500;
const frames = Number(process.argv[2]);
const store = createStore(() => ({ at: 0 }));

const path = (at: number, line: number): string => `data/part-${at}/${'deep/'.repeat(8)}file-${at * 7 + line}.bin`;

/** A path and a count in each line, all of them new in every frame. */
function Frame() {
  const at = useStore(store, (state) => state.at);
  return (
    <Box flexDirection="column">
      {[1, 2, 3, 4].map((line) => (
        <Tint key={line}>{path(at, line)}</Tint>
      ))}
    </Box>
  );
}

const heapUsed = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

let written = 0;
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    written += chunk.length;
    done();
  },
});
const app = render(
  <Kit keys={createKeySource()} size={fixedSize(80, 24)} look={{ unicode: true, color: true }}>
    <Frame />
  </Kit>,
  // Every frame is drawn when its state is set, not thirty a second.
  {
    stdout: Object.assign(sink, { columns: 80, rows: 24 }) as unknown as NodeJS.WriteStream,
    debug: true,
    patchConsole: false,
  },
);

let before = 0;
for (let at = 1; at <= frames + WARM_UP; at++) {
  store.setState({ at });
  // React draws in a microtask; the stream and React's scheduler get a turn now and then.
  if (at % 50 === 0) await new Promise((resolve) => void setImmediate(resolve));
  else await Promise.resolve();
  if (at === WARM_UP) before = heapUsed();
}
const grown = heapUsed() - before;
app.unmount();
process.stdout.write(JSON.stringify({ grown, written, frames }));
