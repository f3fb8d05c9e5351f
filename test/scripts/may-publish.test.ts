// Nothing is published while package.json does not say where the repository is.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const script = resolve('scripts/may-publish.mjs');

test.each([
  ['without a repository', undefined, 1],
  ['with an empty one', { type: 'git', url: ' ' }, 1],
  ['with its address', { type: 'git', url: 'git+https://example.com/archiver.git' }, 0],
])('npm publishes nothing %s, and says so, or goes on', async (_what, repository, status) => {
  const cwd = await tempFolder();
  const prepublishOnly = scripts['prepublishOnly']?.replace('scripts/may-publish.mjs', script);
  const about = {
    name: 'zstd-archiver-try',
    version: '0.0.1',
    private: false,
    repository,
    scripts: { prepublishOnly },
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(about));

  // All but the sending.
  const env = { ...process.env, npm_config_fetch_retries: '0', npm_config_cache: join(cwd, 'cache') };
  const ran = spawnSync('npm', ['publish', '--dry-run', '--offline'], { cwd, env, encoding: 'utf8' });

  expect([ran.status, ran.stderr.includes('not published: package.json has no repository')]).toEqual([
    status,
    status === 1,
  ]);
});
