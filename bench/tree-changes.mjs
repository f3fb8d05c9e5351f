// How a tree changes between two versions, the same way for every program.
import { appendFileSync, readdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const EACH = 100;
/** Of all files, in the folder that is renamed. */
const RENAMED_SHARE = 0.05;
/** Names that every program takes as they are, without a pattern in them. */
const PLAIN = /^[\w./+-]+$/;

/** Paths of regular files in order, those with plain names. */
function plainFiles(tree) {
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(tree.length + 1)] : [],
  );
  return paths.filter((path) => PLAIN.test(path)).sort();
}

/** Later than anything, to the second, so that every program sees it. */
const later = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 5000);

/** A line more, and a later time, in every hundredth file. */
export function changeOnePercent(tree) {
  const time = later();
  plainFiles(tree).forEach((path, at) => {
    if (at % EACH !== 0) return;
    appendFileSync(join(tree, path), 'changed\n');
    utimesSync(join(tree, path), time, time);
  });
}

/** The folder that holds nearest to a twentieth of the files; undefined where there are no folders. */
function folderToRename(files) {
  const counts = new Map();
  for (const path of files)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  const far = ([, count]) => Math.abs(count - files.length * RENAMED_SHARE);
  return [...counts].sort((a, b) => far(a) - far(b))[0]?.[0];
}

/** Another name for a folder, and a later time for each second of its files. */
export function renameFolder(tree) {
  const files = plainFiles(tree);
  const folder = folderToRename(files);
  if (folder === undefined) throw new Error(`${tree} has no folder with files in it that could be renamed`);
  const renamed = join(tree, `${folder}-renamed`);
  renameSync(join(tree, folder), renamed);
  const time = later();
  files
    .filter((path) => path.startsWith(`${folder}/`))
    .forEach((path, at) => {
      if (at % 2 === 0) utimesSync(join(renamed, path.slice(folder.length + 1)), time, time);
    });
}

/** A file in the middle that stays as it is, so that each version has it. */
export function untouchedFile(tree) {
  const files = plainFiles(tree);
  const folder = folderToRename(files);
  const stays = files.filter((path, at) => at % EACH !== 0 && !path.startsWith(`${folder}/`));
  if (stays.length === 0) throw new Error(`${tree} has no file that stays as it is while others change`);
  return stays[Math.floor(stays.length / 2)];
}
