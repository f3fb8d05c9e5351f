// A folder of this computer with a dataset in its `store`, and commands that are run in it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './make-archive.js';
import { recordKey, writeObjects } from './make-dataset.js';
import { type CommandHost, type CommandRun, runCommand } from './run-command.js';
import { tempFolder } from './temp-folder.js';

export interface DatasetFolder {
  readonly folder: string;
  /** URL of the store. */
  readonly base: string;
}

/** A fresh one. */
export async function datasetFolder({
  objects,
}: {
  readonly objects: Parameters<typeof writeObjects>[1];
}): Promise<DatasetFolder> {
  const folder = await tempFolder();
  await writeObjects(join(folder, 'store'), objects);
  return { folder, base: `file://${join(folder, 'store')}` };
}

/** The record of a version is no longer one. */
export const damageRecord = (folder: string, version: number): void =>
  writeFileSync(join(folder, 'store', recordKey(version)), 'damaged');

/** Calls of the program in the folder that it is then: as they end, and the document of one with its status. */
export function callsIn(root: CommandHost['root'], folder: () => string) {
  const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder: folder() }, argv);
  const json = async (...argv: readonly string[]): Promise<Json & { status: number }> => {
    const { stdout, status } = await run(...argv, '--json');
    return { ...(JSON.parse(stdout) as Json), status };
  };
  return { run, json };
}
