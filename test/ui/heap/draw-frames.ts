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
export async function drawFrames(frames: number): Promise<Drawn> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-heap-'));
  try {
    const outfile = join(folder, 'frames.mjs');
    await build({
      ...inkBundle,
      entryPoints: [join(import.meta.dirname, 'frames.tsx')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      banner: {
        js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', outfile, String(frames)]);
    return JSON.parse(stdout) as Drawn;
  } finally {
    await rm(folder, { recursive: true });
  }
}
