// What a folder holds, remembered so that it can be compared with what a restore gives.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { describeXattrs } from './xattrs.js';

export interface Entry {
  readonly isFolder: boolean;
  /** Type, mode, time, content, target, attributes. */
  readonly facts: string;
  /** The first path of its hard link group in path order, or nothing. */
  readonly group: string | undefined;
}

/** By path; a path is the bytes of its name, each as one character. */
export type Tree = ReadonlyMap<string, Entry>;

const SHOWN = 6;

export const pathIn = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** Reads a folder, everything in it. */
export function snapshot(root: string): Tree {
  const tree = new Map<string, Entry>();
  const groups = new Map<string, string>();
  const walk = (below: string): void => {
    const folder = pathIn(root, below);
    for (const name of readdirSync(folder, { encoding: 'latin1' }).sort()) {
      const path = below === '' ? name : `${below}/${name}`;
      const absolute = pathIn(root, path);
      const stat = lstatSync(absolute, { bigint: true });
      const facts = [stat.mode.toString(8), String(stat.mtimeNs)];
      if (stat.isSymbolicLink()) facts.push(readlinkSync(absolute, { encoding: 'latin1' }));
      else facts.push(describeXattrs(absolute));
      if (stat.isFile()) facts.push(String(stat.size), createHash('sha1').update(readFileSync(absolute)).digest('hex'));
      const inode = `${stat.dev}:${stat.ino}`;
      const isLinked = stat.isFile() && stat.nlink > 1n;
      if (isLinked && !groups.has(inode)) groups.set(inode, path);
      tree.set(path, {
        isFolder: stat.isDirectory(),
        facts: facts.join(' '),
        group: isLinked ? groups.get(inode) : undefined,
      });
      if (stat.isDirectory()) walk(path);
    }
  };
  walk('');
  return tree;
}

/** What a version holds that adds `newer` to `older` without recording what is gone. */
export function overlay(older: Tree, newer: Tree): Tree {
  const isHidden = (path: string): boolean => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      if (newer.get(path.slice(0, end))?.isFolder === false) return true;
    return false;
  };
  const both = new Map(newer);
  for (const [path, entry] of older)
    if (!newer.has(path) && !isHidden(path)) both.set(path, { ...entry, group: undefined });
  return both;
}

function membersOf(tree: Tree, scope: Tree): Map<string, string> {
  const groups = new Map<string, string[]>();
  for (const [path, { group }] of tree)
    if (group !== undefined && scope.has(path)) groups.set(group, [...(groups.get(group) ?? []), path]);
  const members = new Map<string, string>();
  for (const paths of groups.values())
    if (paths.length > 1) for (const path of paths) members.set(path, paths.join('|'));
  return members;
}

const show = (path: string): string => JSON.stringify(path);

/** How `actual` differs; hard links are compared among the paths of `scope`. At most a few sentences. */
export function differences(expected: Tree, actual: Tree, scope: Tree = expected): string[] {
  const found: string[] = [];
  for (const [path, { facts }] of expected) {
    const other = actual.get(path);
    if (other === undefined) found.push(`${show(path)} is missing`);
    else if (other.facts !== facts) found.push(`${show(path)} is ${other.facts} instead of ${facts}`);
  }
  for (const path of actual.keys()) if (!expected.has(path)) found.push(`${show(path)} is there and should not be`);
  const [wanted, links] = [membersOf(expected, scope), membersOf(actual, scope)];
  for (const path of scope.keys())
    if (wanted.get(path) !== links.get(path))
      found.push(
        `${show(path)} is linked with ${links.get(path) ?? 'nothing'} instead of ${wanted.get(path) ?? 'nothing'}`,
      );
  return found.length > SHOWN ? [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`] : found;
}
