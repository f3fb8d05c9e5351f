// Reads settings of a DVC repository.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';

/** The later one counts. */
const FILES = ['.dvc/config', '.dvc/config.local'];
const SECTION = /^\s*\[\s*(\w+)\s*\]/;
const SETTING = /^\s*(\w+)\s*=\s*(.*?)\s*$/;

export interface DvcConfig {
  /** DVC's cache, as an absolute path. */
  readonly cacheFolder: string;
  /** True if the repository is used without git. */
  readonly hasNoGit: boolean;
}

/** Reads the config of a repository, not that of its user; `root` is absolute. @throws io, access-denied */
export function readDvcConfig(root: string): DvcConfig {
  let cacheFolder = posix.join(root, '.dvc/cache');
  let hasNoGit = false;
  for (const file of FILES.map((name) => posix.join(root, name))) {
    let section = '';
    for (const line of readText(file).split('\n')) {
      section = SECTION.exec(line)?.[1] ?? section;
      const [, key = '', value = ''] = SETTING.exec(line) ?? [];
      if (section === 'cache' && key === 'dir') cacheFolder = posix.resolve(posix.dirname(file), value);
      if (section === 'core' && key === 'no_scm') hasNoGit = value.toLowerCase() === 'true';
    }
  }
  return { cacheFolder, hasNoGit };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw fileFailure('read', path, error);
  }
}
