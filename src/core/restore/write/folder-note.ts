// Finds files that a killed restore has not finished. In a folder that held nothing, files are created under their names at once: nobody else
// uses them yet, and their content has been compared before (docs/decisions/107). Each thread notes the folder in which it creates them,
// beside the lock of the run. If the run is killed, the one file there that may not be whole is known by its time, which is about the note's:
// whole files have the times of the archive.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathProblem } from '../../platform/paths/path-rules.js';
import {
  bytesOf,
  fsPath,
  joinPath,
  pathBelow,
  type RawPath,
  rawFromBytes,
  rawFromLatin1,
  rawFromText,
  TOP,
  withEnd,
} from '../../platform/paths/raw-path.js';
import type { OpenFolder } from '../output-tree/output-folder.js';
import type { OutputTree, Present } from '../output-tree/output-tree.js';

/** Locks, notes and temporary names. */
const OURS = '.archiver-';
/** No temporary name ends so: those are numbered. */
const END = '.note';
/** How long a note is good for, in ms. A network's file system may store it that much later than the file. */
const FRESH_MS = 10_000;
/** How long after its note a file was written at the latest, in ms: a small one takes less than the difference on any disk. */
const LIFE_MS = 60_000;

export class FolderNote {
  private readonly name: RawPath;
  private fd: number | undefined;
  private folder: RawPath | undefined;
  private notedAt = 0;
  private enteredAt = 0;

  /** `tempName`: how the temporary names of this thread begin. */
  constructor(
    private readonly tree: OutputTree,
    tempName: RawPath,
  ) {
    this.name = withEnd(tempName, rawFromText(END));
  }

  /** Says that a file is about to be created in this folder. @throws system errors */
  enter(folder: RawPath): void {
    const now = Date.now();
    this.enteredAt = now;
    if (folder === this.folder && Math.abs(now - this.notedAt) < FRESH_MS) return;
    this.fd ??= this.tree.createFile(this.tree.folder(TOP), this.name, 0o600);
    this.tree.write(this.fd, bytesOf(withEnd(folder, '\0' as RawPath)), 0);
    this.folder = folder;
    this.notedAt = now;
  }

  /** Whether the file took so long (its process was stopped, or the computer slept) that others may have taken it for unfinished. */
  get isStale(): boolean {
    return Date.now() - this.enteredAt > LIFE_MS;
  }

  /** Says that all files are whole. */
  remove(): void {
    if (this.fd === undefined) return;
    this.tree.close(this.fd);
    this.tree.remove(this.tree.folder(TOP), this.name);
    this.fd = undefined;
  }
}

const timeMs = ({ mtimeSeconds, mtimeNanos }: Present): number => mtimeSeconds * 1000 + mtimeNanos / 1e6;

/** Returns the notes of these runs in an output folder. @throws system errors */
const notesOf = (rootPath: string, prefixes: readonly string[]): string[] =>
  readdirSync(rootPath).filter((name) => name.endsWith(END) && prefixes.some((prefix) => name.startsWith(prefix)));

/** Whether a thread of the run whose temporary names begin so has died, or has not ended. @throws system errors */
export const hasNotes = (rootPath: string, prefix: string): boolean => notesOf(rootPath, [prefix]).length > 0;

/** Returns the files that runs that are dead were writing, whose temporary names begin so. @throws system errors */
export function unfinishedFiles(
  { settings: { rootPath }, tree }: Pick<OpenFolder, 'settings' | 'tree'>,
  prefixes: readonly string[],
): RawPath[] {
  return notesOf(rootPath, prefixes).flatMap((name) => {
    const note = tree.present(rawFromText(name));
    const folder = note?.kind === 'file' ? notedFolder(join(rootPath, name)) : undefined;
    if (note === undefined || folder === undefined) return [];
    const notedMs = timeMs(note);
    return namesIn(rootPath, folder)
      .filter((each) => !each.startsWith(OURS))
      .map((each) => joinPath(folder, each))
      .filter((path) => {
        const present = reached(tree, path);
        const since = present?.kind === 'file' ? timeMs(present) - notedMs : NaN;
        return since >= -FRESH_MS && since <= LIFE_MS;
      });
  });
}

function reached(tree: OutputTree, path: RawPath): Present | undefined {
  try {
    return tree.present(path);
  } catch {
    return undefined; // a link leads there, or it is closed by now: whatever is to be written there fails by itself
  }
}

function notedFolder(note: string): RawPath | undefined {
  const bytes = readFileSync(note);
  const end = bytes.indexOf(0);
  if (end < 0) return undefined; // it died before it had said anything
  const folder = rawFromBytes(bytes, 0, end);
  return folder === TOP || pathProblem(folder) === undefined ? folder : undefined;
}

function namesIn(rootPath: string, folder: RawPath): RawPath[] {
  const root = rawFromText(rootPath);
  try {
    return rawFromLatin1(readdirSync(fsPath(folder === TOP ? root : pathBelow(root, folder)), { encoding: 'latin1' }));
  } catch {
    return []; // as above
  }
}
