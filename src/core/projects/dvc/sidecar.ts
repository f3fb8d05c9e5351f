// Writes `.dvc` files: for each file one beside its path, with what DVC needs to know; for a folder output a single one, and its list for
// DVC's cache. Nothing is written through a link or outside of the output folder.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { throwIfCancelled } from '../../store/store-error.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { openFolder, type OpenFolder } from '../../restore/output-tree/output-folder.js';
import type { Verdict } from './guard.js';
import { SidecarRun } from './sidecar-run.js';
import type { SidecarFile, SidecarResult, WriteSidecarsOptions } from './sidecar-types.js';

/** Number of files that are decided about at once; other work gets its turn in between. */
const AT_ONCE = 2000;

/** Writes `.dvc` files. @throws io, no-space when nothing can be written any more; usage, io when git cannot be asked; cancelled */
export async function writeSidecars(options: WriteSidecarsOptions): Promise<SidecarResult> {
  const { files, outputDir, guards, folders = [], cacheDir, signal } = options;
  const output = openOutput(outputDir);
  const opened = [output];
  const openCache =
    cacheDir === undefined
      ? undefined
      : (): OpenFolder => {
          const cache = openOutput(cacheDir);
          opened.push(cache);
          return cache;
        };
  try {
    const run = new SidecarRun({ output, guard: guards[0], folders: new Set(folders), openCache });
    const verdicts = new Verdicts(options, run);
    for await (const batch of batches(files)) {
      throwIfCancelled(signal);
      await verdicts.judge(batch);
      for (const file of batch) run.add(file, verdicts.of(file.path));
      await yieldToOthers();
    }
    return run.finish();
  } finally {
    for (const folder of opened) folder.close();
  }
}

async function* batches(files: WriteSidecarsOptions['files']): AsyncGenerator<readonly SidecarFile[]> {
  let batch: SidecarFile[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** What the guards say of the files of a batch; a file in a tracked folder has the folder's verdict. */
class Verdicts {
  private known: ReadonlyMap<RawPath, Verdict> = new Map();

  constructor(
    private readonly options: WriteSidecarsOptions,
    private readonly run: SidecarRun,
  ) {}

  of(path: RawPath): Verdict | undefined {
    return this.known.get(this.run.folderOf(path) ?? path);
  }

  async judge(batch: readonly SidecarFile[]): Promise<void> {
    const { guards, isKnown = () => false } = this.options;
    let targets = new Map<RawPath, boolean>();
    for (const { path } of batch.filter((file) => this.run.isCandidate(file))) {
      const folder = this.run.folderOf(path);
      targets.set(folder ?? path, folder !== undefined);
    }
    const verdicts = new Map<RawPath, Verdict>();
    for (const guard of guards.toReversed()) {
      const items = [...targets].map(([path, isFolder]) => ({ path, isFolder }));
      for (const [path, verdict] of await guard.judge(items, isKnown)) {
        verdicts.set(path, verdict);
        if (verdict.left !== undefined) targets.delete(path);
      }
    }
    this.known = verdicts;
  }
}

const openOutput = (path: string): OpenFolder => openFolder({ path, flatten: false, keepSpecialBits: false });
