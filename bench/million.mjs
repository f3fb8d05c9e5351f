// A tree of small files, a thousand in a folder and fifty folders in a group.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER_FILES = 1000;
const GROUP_FOLDERS = 50;

const pathOf = (n) => {
  const folder = Math.floor(n / FOLDER_FILES);
  const group = String(Math.floor(folder / GROUP_FOLDERS)).padStart(3, '0');
  return `group-${group}/folder-${String(folder).padStart(5, '0')}/file-${n}.txt`;
};

/** Makes it in `tree`, which is not there yet. */
export function makeMillion(tree, files) {
  for (let n = 0; n < files; n++) {
    const path = join(tree, pathOf(n));
    if (n % FOLDER_FILES === 0) mkdirSync(dirname(path), { recursive: true });
    const lines = 'some lines of text, as they are in many small files\n'.repeat(n % 20);
    writeFileSync(path, `file ${n} of ${files}\n${lines}`);
  }
}
