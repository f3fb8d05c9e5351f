// Pipelines of folders that a test describes.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Pipeline, readPipeline } from '../../../../src/core/projects/dvc/pipeline.js';
import { tempFolder } from '../../../support/temp-folder.js';

export const NEVER = new AbortController().signal;

/** Writes files into a new folder and reads its pipeline. */
export async function pipelineOf(files: Readonly<Record<string, string | Buffer>>): Promise<Pipeline> {
  const pipeline = await readPipeline(await folderWith(files), NEVER);
  if (pipeline === undefined) throw new Error('there is nothing of DVC');
  return pipeline;
}

/** Writes files into a new folder. */
export async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}
