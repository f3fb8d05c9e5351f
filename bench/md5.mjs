// MD5 of many ranges of one buffer on one thread: crypto.hash one after another against the lanes of
// src/core/platform/md5/md5-lanes.ts, alternately and in CPU time, because other work on the machine slows both down. Also
// what loading costs, and what a frame with few ranges gains, which gave LANE_LIMIT_BYTES.
//   node bench/md5.mjs [rounds]
import { hash, randomFillSync } from 'node:crypto';
import { cpus } from 'node:os';
import { build } from 'esbuild';
import { median } from './measure.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const FRAME_BYTES = 1 << 22;
/** Bytes hashed by each side in a round: enough for a clock, short enough to alternate often. */
const ROUND_BYTES = 1 << 25;

const bundle = await build({
  entryPoints: [new URL('../src/core/platform/md5/md5-lanes.ts', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const { loadMd5Lanes } = await import(
  `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`
);
const loadStart = performance.now();
const lanes = loadMd5Lanes();
const loadMs = performance.now() - loadStart;
console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, median of ${ROUNDS} rounds`);
console.log(`load: ${loadMs.toFixed(1)} ms`);

/** Lengths whose sum fits a frame. */
function frameOf(nextLength, frameBytes = FRAME_BYTES) {
  const lengths = [];
  for (let left = frameBytes; ;) {
    const length = nextLength();
    if (length > left) return lengths;
    lengths.push(length);
    left -= length;
  }
}

const random = mulberry(42);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
/** Median 3 KB, mean 10 KB. */
const sigma = Math.sqrt(2 * Math.log(10 / 3));
const realistic = () => Math.min(1 << 20, Math.floor(3000 * Math.exp(sigma * normal())));

function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function tables(lengths) {
  let at = 0;
  const starts = lengths.map((length) => (at += length) - length);
  return { starts: Uint32Array.from(starts), lengths: Uint32Array.from(lengths), bytes: at };
}

const data = lanes.allocate(FRAME_BYTES);
randomFillSync(data);

function withOpenSsl({ starts, lengths }, digests) {
  for (let i = 0; i < lengths.length; i++) {
    const text = hash('md5', data.subarray(starts[i], starts[i] + lengths[i]));
    digests.write(text, i * 16, 'hex');
  }
}

const withLanes = ({ starts, lengths }, digests) => lanes.hash(starts, lengths, lengths.length, digests);

/** Seconds of CPU for `times` frames. */
function time(side, frame, digests, times) {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) side(frame, digests);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function compare(name, lengths) {
  const frame = tables(lengths);
  const times = Math.max(1, Math.round(ROUND_BYTES / frame.bytes / (frame.bytes / lengths.length < 1000 ? 4 : 1)));
  const digests = [Buffer.alloc(lengths.length * 16), Buffer.alloc(lengths.length * 16)];
  const seconds = { openssl: [], lanes: [] };
  for (let round = 0; round < ROUNDS; round++) {
    seconds.openssl.push(time(withOpenSsl, frame, digests[0], times));
    seconds.lanes.push(time(withLanes, frame, digests[1], times));
  }
  if (!digests[0].equals(digests[1])) throw new Error(`${name}: the digests differ`);
  const rate = (values) => (frame.bytes * times) / median(values) / 1e6;
  const [openssl, fast] = [rate(seconds.openssl), rate(seconds.lanes)];
  const ranges = `${lengths.length} × ${Math.round(frame.bytes / lengths.length)} B`;
  const speeds = `crypto.hash ${openssl.toFixed(0).padStart(5)} MB/s  lanes ${fast.toFixed(0).padStart(5)} MB/s`;
  console.log(`${name.padEnd(22)}${ranges.padEnd(18)}${speeds}  ${(fast / openssl).toFixed(2)}x`);
}

for (const length of [100, 1000, 10_000, 100_000])
  compare(
    `${length} B`,
    frameOf(() => length),
  );
compare('realistic, 4 MiB', frameOf(realistic));
compare('realistic, 1 MiB', frameOf(realistic, 1 << 20));
compare('realistic, 256 KiB', frameOf(realistic, 1 << 18));
console.log('ranges of equal length that fill a frame of 4 MiB:');
for (const count of [1, 2, 3, 4, 6, 8, 12, 16, 32])
  compare(`${count}`, Array(count).fill(Math.floor(FRAME_BYTES / count)));
