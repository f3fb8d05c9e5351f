// npx tsx bench/floors.ts FOLDER… [--rounds N]: CPU seconds that each promised part of an upload takes for a folder, in one thread with nothing between the
// parts: no planning, no tar headers, no listing, no threads. Their sum is what an upload with these promises cannot be below here; docs/benchmarks.md
// compares it with what programs take that promise less. Least of N rounds (default 3); the folder must fit into the page cache.
import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readySeededHash, seededHash } from '../src/core/format/chunk/seeded-hash.js';
import { loadCodec, readyCodec } from '../src/core/platform/codec/codec.js';
import { LANE_LIMIT_BYTES, loadMd5Lanes } from '../src/core/platform/md5/md5-lanes.js';

const FRAME_BYTES = 16 << 20;
const PARTS = ['read', 'zstd', 'md5', 'xxh64', 'sha256', 'write'] as const;
type Part = (typeof PARTS)[number];

const lanes = loadMd5Lanes();
await Promise.all([readyCodec(), readySeededHash()]);
const xxh64 = seededHash();
if (lanes === undefined || xxh64 === undefined) throw new Error('WebAssembly is missing');
const codec = loadCodec();
const frame = lanes.allocate(FRAME_BYTES);
const packed = Buffer.alloc(codec.compressBound(FRAME_BYTES));
const digests = Buffer.alloc(1 << 20);

class Sums {
  readonly seconds = new Map<Part, number>();
  files = 0;
  bytes = 0;
  stored = 0;

  time<T>(part: Part, work: () => T): T {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    this.seconds.set(part, (this.seconds.get(part) ?? 0) + (user + system) / 1e6);
    return result;
  }
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Frames full of files; what is longer than a frame goes on in the next one. */
function measure(paths: readonly string[], target: string): Sums {
  const sums = new Sums();
  const out = openSync(target, 'w');
  const chunk = createHash('sha256');
  let next = 0;
  let open: { fd: number; left: number; isLarge: boolean } | undefined;
  let md5 = createHash('md5');
  while (next < paths.length || open !== undefined) {
    const [starts, lengths]: [number[], number[]] = [[], []];
    const large: { start: number; length: number; sum: typeof md5 }[] = [];
    let length = 0;
    sums.time('read', () => {
      while (length < FRAME_BYTES) {
        if (open === undefined) {
          const path = paths[next];
          if (path === undefined) break;
          const fd = openSync(path, 'r');
          const { size } = fstatSync(fd);
          const isLarge = size > LANE_LIMIT_BYTES;
          if (!isLarge && size > FRAME_BYTES - length) {
            closeSync(fd);
            break;
          }
          next++;
          sums.files++;
          if (isLarge) md5 = createHash('md5');
          open = { fd, left: size, isLarge };
        }
        const take = readSync(open.fd, frame, length, Math.min(open.left, FRAME_BYTES - length), null);
        if (!open.isLarge) {
          starts.push(length);
          lengths.push(take);
        } else large.push({ start: length, length: take, sum: md5 });
        length += take;
        open.left -= take;
        if (open.left > 0 && take > 0) continue;
        closeSync(open.fd);
        open = undefined;
      }
    });
    const raw = frame.subarray(0, length);
    sums.time('md5', () => {
      lanes?.hash(Uint32Array.from(starts), Uint32Array.from(lengths), starts.length, digests);
      for (const one of large) one.sum.update(raw.subarray(one.start, one.start + one.length));
    });
    sums.time('xxh64', () => {
      for (const [at, start] of starts.entries())
        xxh64?.write(raw.subarray(start, start + (lengths[at] ?? 0)), 1n, digests, 0);
      for (const one of large) {
        const stream = xxh64?.stream(1n);
        stream?.update(raw.subarray(one.start, one.start + one.length));
      }
    });
    const size = sums.time('zstd', () => codec.compressFrame(packed, raw, 3));
    const stored = packed.subarray(0, size);
    sums.time('sha256', () => {
      hash('sha256', stored);
      chunk.update(stored);
    });
    sums.time('write', () => writeSync(out, stored));
    sums.bytes += length;
    sums.stored += size;
  }
  closeSync(out);
  return sums;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
});
const work = mkdtempSync(join(tmpdir(), 'archiver-floors-'));
try {
  for (const folder of positionals) {
    const paths = filesBelow(folder);
    const rounds = Array.from({ length: Number(values.rounds) }, () => measure(paths, join(work, 'out')));
    const [{ files = 0, bytes = 0, stored = 0 } = {}] = rounds;
    console.log(`${folder}: ${files} files, ${(bytes / 1e6).toFixed(0)} MB, ${(stored / 1e6).toFixed(0)} MB stored`);
    const least = PARTS.map((part) => Math.min(...rounds.map(({ seconds }) => seconds.get(part) ?? 0)));
    const shown = PARTS.map((part, at) => `${part} ${(least[at] ?? 0).toFixed(2)}`);
    console.log(`  ${shown.join(', ')}; together ${least.reduce((sum, one) => sum + one, 0).toFixed(2)} s of CPU`);
  }
} finally {
  rmSync(work, { recursive: true });
}
