// docs/moving.md, run as it is written with the programs that it names: there and back, all contents compared.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeTree, noise } from '../core/archive/trees.js';
import { rcloneWithArchive } from '../servers/rclone.js';
import { notOnPath } from '../servers/serve.js';
import { tempFolder } from '../support/temp-folder.js';
import { CLI, environment, onlyUpload } from './upload-cli.js';

const run = promisify(execFile);
const LIMIT = { timeout: 300_000 };
const page = readFileSync(new URL('../../docs/moving.md', import.meta.url), 'utf8');

/** The shell blocks of a section, in its order. */
function blocksOf(section: string): string[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** Paths, types, contents and targets. */
const contentsOf = (folder: string): unknown =>
  Object.entries(describeTree(folder)).map(([path, { type, size, content, target }]) => [
    path,
    type,
    content === undefined ? 0 : size,
    content,
    target,
  ]);

interface Place {
  readonly at: (path: string) => string;
  readonly sh: (commands: string) => Promise<string>;
}

/** A folder with `photos` in it, whose store is `store`, and a shell there. */
async function place(variables: (home: string) => Readonly<Record<string, string>>): Promise<Place> {
  const home = await tempFolder();
  const at = (path: string): string => join(home, path);
  mkdirSync(at('bin'));
  writeFileSync(at('bin/archiver'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(at('bin/archiver'), 0o755);
  const git = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const path = `${at('bin')}:${process.env['PATH'] ?? ''}`;
  const env = { ...environment(home, {}), ...git, PATH: path, STORE: `file://${home}/store`, ...variables(home) };
  const sh = async (commands: string): Promise<string> =>
    (await run('sh', ['-eu', '-c', commands], { cwd: home, env, maxBuffer: 2 ** 26 })).stdout;
  mkdirSync(at('photos/2025/empty'), { recursive: true });
  writeFileSync(at('photos/one.raw'), noise(300_000));
  writeFileSync(at('photos/2025/two words é.txt'), 'two\n'.repeat(1000));
  writeFileSync(at('photos/nothing'), '');
  utimesSync(at('photos/one.raw'), 1_600_000_000, 1_600_000_000);
  return { at, sh };
}

/** What the second state of `photos` has. */
function change({ at }: Place): void {
  writeFileSync(at('photos/2025/two words é.txt'), 'three\n'.repeat(1000));
  writeFileSync(at('photos/new'), noise(1000));
  rmSync(at('photos/nothing'));
}

const missing = (...programs: readonly string[]): string | undefined =>
  programs.map(notOnPath).find((why) => why !== undefined);

describe('docs/moving.md', () => {
  test('another store of archiver: all of it, and one version for a colleague', LIMIT, async () => {
    const here = await place((home) => ({
      OLD_STORE: `file://${home}/store`,
      NEW_STORE: `file://${home}/new`,
      COLLEAGUE_STORE: `file://${home}/colleague`,
    }));
    await here.sh('archiver sync photos "$STORE" --dataset-id photos');
    change(here);
    await here.sh('archiver sync photos "$STORE" --dataset-id photos --track-deletes');
    const [all = '', one = ''] = blocksOf('Another store of archiver');

    await here.sh(all);
    await here.sh(one);
    await here.sh('archiver restore "$NEW_STORE" out --all');

    const outs = ['out', 'for-me'];
    expect(outs.map((out) => contentsOf(here.at(out)))).toEqual(outs.map(() => contentsOf(here.at('photos'))));
  });

  test('BorgBackup: two archives there, two versions back', LIMIT, async ({ skip }) => {
    const why = missing('borg', 'jq');
    skip(why !== undefined, why);
    const here = await place((home) => ({ BORG_REPO: `${home}/borg` }));
    const [toArchiver = '', back = ''] = blocksOf('BorgBackup');
    symlinkSync('one.raw', here.at('photos/link'));
    await here.sh('borg init -e none && cd photos && borg create ::first .');
    const first = contentsOf(here.at('photos'));
    change(here);
    await here.sh('cd photos && borg create ::second .');

    await here.sh(toArchiver);
    await here.sh(back);

    await here.sh('for n in 1 2; do mkdir out-$n; (cd out-$n; borg extract ::version-$n); done');
    expect(contentsOf(here.at('out-1'))).toEqual(first);
    expect(contentsOf(here.at('out-2'))).toEqual(contentsOf(here.at('photos')));
  });

  test('restic: two snapshots there, two versions back', LIMIT, async ({ skip }) => {
    const why = missing('restic', 'jq');
    skip(why !== undefined, why);
    const here = await place((home) => ({
      RESTIC_REPOSITORY: `${home}/restic`,
      RESTIC_PASSWORD_FILE: `${home}/password`,
    }));
    const [toArchiver = '', back = ''] = blocksOf('restic');
    writeFileSync(here.at('password'), 'secret');
    symlinkSync('one.raw', here.at('photos/link'));
    await here.sh('restic init && restic backup photos');
    const first = contentsOf(here.at('photos'));
    change(here);
    await here.sh('restic backup photos');

    await here.sh(toArchiver);
    await here.sh(back);

    const snapshots = `restic snapshots --tag archiver --json | jq -r 'sort_by(.time)[].id'`;
    await here.sh(`n=0; for id in $(${snapshots}); do n=$((n + 1)); restic restore $id --target out-$n; done`);
    expect(contentsOf(here.at('out-1/photos'))).toEqual(first);
    expect(contentsOf(here.at('out-2/photos'))).toEqual(contentsOf(here.at('photos')));
  });

  test('rclone: a remote there and back, and the store to another place', LIMIT, async ({ skip }) => {
    const why = missing('rclone');
    skip(why !== undefined, why);
    const here = await place((home) => ({
      REMOTE: `${home}/photos`,
      STORE_REMOTE: `${home}/store`,
      NEW_REMOTE: `${home}/moved`,
      NEW_STORE: `file://${home}/moved`,
    }));
    const [toArchiver = '', back = '', move = ''] = blocksOf('rclone');

    await here.sh(toArchiver);
    await here.sh(back);
    await here.sh(move);
    await here.sh('archiver restore "$NEW_STORE" moved-out --dataset-id from-rclone --all');

    const outs = ['photos-back', 'moved-out'];
    expect(outs.map((out) => contentsOf(here.at(out)))).toEqual(outs.map(() => contentsOf(here.at('photos'))));
  });

  test('rclone archive list names what is in a chunk', LIMIT, async ({ skip }) => {
    const rclone = await rcloneWithArchive();
    if (typeof rclone === 'string') {
      skip(rclone);
      return;
    }
    try {
      const here = await place(() => ({ RCLONE_CONFIG: '/dev/null' }));
      await here.sh('archiver upload photos "$STORE"');
      const upload = onlyUpload(here.at('store'));
      const chunks = readdirSync(upload, { recursive: true })
        .map(String)
        .filter((path) => path.endsWith('.tar.zst'));

      const said = await Promise.all(
        chunks.map(async (chunk) => (await run(rclone.command, ['archive', 'list', join(upload, chunk)])).stdout),
      );

      const listed = said.flatMap((text) => text.split('\n').filter((line) => line !== '')).map((line) => line.trim());
      expect(listed.sort()).toEqual([
        '0 2025/',
        '0 2025/empty/',
        '0 nothing',
        '300000 one.raw',
        '4000 2025/two words é.txt',
      ]);
    } finally {
      await rclone.remove();
    }
  });

  test('git-annex: the repository, its files, and a remote whose folder was lost', LIMIT, async ({ skip }) => {
    const why = missing('git-annex', 'git');
    skip(why !== undefined, why);
    const here = await place(() => ({}));
    const [repository = '', files = '', back = '', kept = '', lost = ''] = blocksOf('git-annex');
    // git has no empty folders, and git-annex one object for equal contents.
    rmSync(here.at('photos/2025/empty'), { recursive: true });
    await here.sh(
      `cp -a photos annex && cd annex && git init -q && git annex init -q && git annex add -q . && git commit -qm one`,
    );
    const photos = contentsOf(here.at('photos'));

    await here.sh(repository);
    await here.sh(files);
    await here.sh(back);
    await here.sh(kept);
    renameSync(here.at('kept'), here.at('kept-before'));
    await here.sh('git -C annex annex drop --quiet --force .');
    await here.sh(lost);

    await here.sh('cp -rL annex-back/. a; cp -rL annex-new/. b; cp -rL annex/. c; chmod -R u+w a b c; rm -rf ?/.git');
    const outs = ['annex-files', 'a', 'b', 'c'];
    expect(outs.map((out) => contentsOf(here.at(out)))).toEqual(outs.map(() => photos));
  });
});
