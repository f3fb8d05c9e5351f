// Reads a `.dvc` file: what it tracks, and whether it is one that may be brought up to date.
import { posix } from 'node:path';
import { integrityError } from '../../platform/failures/errors.js';
import { isList, isMap, type Value } from './yaml-value.js';
import { readYamlFile } from './yaml-file.js';

export interface DvcFile {
  /** What it tracks, relative to its folder, or absolute. */
  readonly outs: readonly string[];
  /**
   * True if it was made by `dvc add` of DVC 3 and tracks what its name says. An import, a frozen one, one of DVC 2, or one with
   * versions of a cloud is not ours to change.
   */
  readonly isPlain: boolean;
  /** True if what it tracks was a folder. */
  readonly isFolder: boolean;
}

const PLAIN_KEYS = new Set(['outs', 'meta', 'desc', 'wdir']);
const FOREIGN_OUT_KEYS = ['cache', 'files', 'cloud', 'etag', 'version_id', 'fs_config'];

/** Reads one. @throws integrity for one that is not as DVC writes them, io */
export async function readDvcFile(path: string): Promise<DvcFile> {
  const file = await readYamlFile(path);
  const root = file?.value;
  if (file === undefined) return { outs: [], isPlain: false, isFolder: false };
  if (!isMap(root)) throw file.problem([], 'it is not a map');
  const list = root.get('outs') ?? [];
  const wdir = root.get('wdir') ?? '.';
  if (!isList(list) || typeof wdir !== 'string') throw file.problem(['outs'], "'outs' is not a list");
  const outs = list.map((out, index) => {
    const own = isMap(out) ? out.get('path') : undefined;
    if (typeof own !== 'string') throw file.problem(['outs', String(index)], "an item of 'outs' has no 'path'");
    return posix.isAbsolute(own) ? own : posix.join(wdir, own);
  });
  const [first] = list;
  const isPlain =
    outs.length === 1 &&
    posix.basename(path) === `${outs[0]}.dvc` &&
    [...root.keys()].every((key) => PLAIN_KEYS.has(key)) &&
    isOfDvc3(first);
  const md5 = isMap(first) ? first.get('md5') : undefined;
  return { outs, isPlain, isFolder: typeof md5 === 'string' && md5.endsWith('.dir') };
}

const isOfDvc3 = (out: Value | undefined): boolean =>
  isMap(out) && out.get('hash') === 'md5' && FOREIGN_OUT_KEYS.every((key) => !out.has(key));

/** The error about one whose name DVC cannot read. */
export const unreadableName = (shown: string): Error => integrityError(`${shown}: its name is not UTF-8`);
