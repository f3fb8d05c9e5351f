// Writes and finds files with profiles.
import { mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undefinedOn } from '../../platform/failures/errors.js';
import type { Collected } from './collect.js';

/** Prefix of folders with profiles in the temp folder. */
const PREFIX = 'archiver-profile-';

export interface ProfileFile {
  readonly path: string;
  /** Tells what opens the file. */
  readonly form: 'pprof' | 'cpuprofile' | 'heapprofile' | 'trace';
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** Returns a new folder that only its owner can read, or `folder`, created if missing. */
export async function profileFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined) return await mkdtemp(join(tmpdir(), PREFIX));
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Writes the files, readable only by their owner. */
export async function writeProfiles(folder: string, { files }: Pick<Collected, 'files'>): Promise<void> {
  for (const { name, content } of files) await writeFile(join(folder, name), content, { mode: 0o600 });
}

const FORMS: readonly (readonly [end: string, form: ProfileFile['form']])[] = [
  ['.pb.gz', 'pprof'],
  ['.cpuprofile', 'cpuprofile'],
  ['.heapprofile', 'heapprofile'],
  ['trace.json', 'trace'],
];

/** Returns the profiles in `folder`, or in all profile folders of the temp folder; the latest first. @throws what `readdir` throws */
export async function findProfiles(folder: string | undefined): Promise<readonly ProfileFile[]> {
  const folders = folder === undefined ? await madeFolders() : [folder];
  const found: ProfileFile[] = [];
  for (const one of folders)
    for (const name of await readdir(one)) {
      const form = FORMS.find(([end]) => name.endsWith(end))?.[1];
      const path = join(one, name);
      const stats = form && (await stat(path).catch(undefinedOn('ENOENT')));
      if (form !== undefined && stats?.isFile() === true)
        found.push({ path, form, bytes: stats.size, modifiedAt: stats.mtime });
    }
  return found.toSorted((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime() || (a.path < b.path ? -1 : 1));
}

/** Returns profile folders that this user may read. */
async function madeFolders(): Promise<readonly string[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const readable = await Promise.all(
    names.map(async (name) => {
      const path = join(tmpdir(), name);
      return (await readdir(path).catch(undefinedOn('EACCES', 'ENOENT', 'ENOTDIR'))) === undefined ? [] : [path];
    }),
  );
  return readable.flat();
}
