// Draws frames with the Ink of the bundle, in a process of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
// @ts-expect-error -- build scripts are plain JavaScript
import { inkBundle } from '../../../scripts/bundle-ink.mjs';

export interface Drawn {
  /** Bytes by which the heap has grown. */
  readonly grown: number;
  /** Bytes that were written. */
  readonly written: number;
}

/** Draws `frames` frames, each different from all others. */
export const drawFrames = (frames: number): Promise<Drawn> =>
  runBundled(join(import.meta.dirname, 'frames.tsx'), [String(frames)]);

/** Runs a script with the Ink of the bundle, and gives the document that it prints. */
export async function runBundled<T extends Drawn>(script: string, args: readonly string[]): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-heap-'));
  try {
    const outfile = join(folder, 'script.mjs');
    await build({
      ...inkBundle,
      entryPoints: [script],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: ['koffi', 'zstd-napi'],
      banner: {
        js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', outfile, ...args]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the script prints
    return JSON.parse(stdout) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}
