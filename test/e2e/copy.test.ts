// The built program is killed at random moments of a copy, and run again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { digests } from '../core/mend/copy/copy-made.js';
import { listVersions, readVersion } from '../../src/core/dataset/records/versions.js';
import { openVersion } from '../../src/core/dataset/chain/version-view.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { CLI, environment } from './upload-cli.js';

const KILLS = 20;
const ROUNDS = 4;

test(
  'a copy that is killed at random and run again makes equal stores, and lists nothing that is not whole',
  { timeout: 120_000 },
  async () => {
    const folder = await tempFolder();
    const source = join(folder, 'source');
    mkdirSync(source);
    for (let version = 1; version <= ROUNDS; version++) {
      writeFileSync(join(source, `noise-${version}`), randomBytes(400_000));
      const argv = ['sync', 'source', './from', '--dataset-id', 'lab', '--quiet'];
      expect(await runCommand({ root: program(), folder }, argv)).toMatchObject({ status: 0 });
    }
    const argv = ['copy', './from', './to', '--quiet', '--workers', '1', '--limit-upload', '4MiB/s'];
    const [from, to] = [fileStore(join(folder, 'from')), fileStore(join(folder, 'to'))];
    const wanted = await digests(from);
    const listed = new Set<number>();
    const options = { env: environment(folder, {}), cwd: folder, stdio: 'ignore' as const };
    const start = () => spawn(process.execPath, [CLI, ...argv, '--new-store'], options);
    const files = (): number =>
      existsSync(join(folder, 'to')) ? readdirSync(join(folder, 'to'), { recursive: true }).length : 0;
    await once(start(), 'exit');
    const all = files();

    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % 5 === 0) rmSync(join(folder, 'to'), { recursive: true, force: true });
      const child = start();
      const ended = once(child, 'exit');
      const moment = files() + Math.random() * (all - files());
      while (child.exitCode === null && files() < moment) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      const found = await digests(to);
      const objects = Object.entries(found).filter(([key]) => !key.includes('.archiver~'));
      expect(objects).toEqual(objects.map(([key]) => [key, wanted[key]]));
      const versions = await listVersions(to, 'lab');
      listed.add(versions.length);
      for (const place of versions) {
        const { chunks } = await openVersion(to, await readVersion(to, place));
        expect(chunks.length).toBeGreaterThan(0);
      }
    }
    const last = await runCommand({ root: program(), folder }, argv);
    const checked = await runCommand({ root: program(), folder }, ['verify', './to', '--deep', '--no-record']);

    expect([last.status, checked.status]).toEqual([0, 0]);
    expect(await digests(to)).toEqual(wanted);
    expect(listed.size).toBeGreaterThan(1); // it was killed at different stages
  },
);
