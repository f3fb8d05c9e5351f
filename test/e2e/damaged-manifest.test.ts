// Wherever a person meets a manifest that is damaged, lost or another than the recorded one, the command that mends it is named.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, uploadJson } from './in-process.js';
import { makeFolder } from './upload-cli.js';

interface Place {
  readonly home: string;
  readonly source: string;
  readonly base: string;
  readonly url: string;
  readonly datasetId: string;
  readonly manifest: string;
}

/** A version and a delta on it; the manifest is that of the first. */
async function place(): Promise<Place> {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  const base = makeFolder(home, 'store');
  for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(source, name), `content of ${name}`);
  const { document } = await uploadJson(home, [source, `file://${base}`]);
  const manifest = join(base, document.manifestKey);
  return { home, source, base, url: document.location, datasetId: document.datasetId, manifest };
}

const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  'cut off': (path) => truncateSync(path, 200),
  'not gzip': (path) => writeFileSync(path, 'nothing of archiver'),
  'another than the recorded one': (path) =>
    writeFileSync(
      path,
      gzipSync(gunzipSync(readFileSync(path)).toString().replace('content', 'Content'), { level: 1 }),
    ),
  // With the digest of the old one in `replaces`, and one mode changed.
  'another that says that it replaces the recorded one': (path) => {
    const old = readFileSync(path);
    const sha256 = createHash('sha256').update(old).digest('hex');
    const text = gunzipSync(old)
      .toString()
      .replace(/"mode":"0644"(?![^]*"mode":"0644")/, '"mode":"4777"');
    writeFileSync(path, gzipSync(text.replace('{', `{"replaces":["${sha256}"],`)));
  },
  'another that names another dataset': (path) => {
    const text = gunzipSync(readFileSync(path)).toString();
    writeFileSync(path, gzipSync(text.replace(/"datasetId":"[^"]*"/, '"datasetId":"other-00000000"')));
  },
  lost: (path) => rmSync(path),
};
/** Named by its URL, an upload without a manifest may be no upload. `info` and `verify --quick` read no record. */
const isSeenByUrl = (kind: string): boolean => kind !== 'lost';
const isSeenAlone = (kind: string): boolean => kind === 'cut off' || kind === 'not gzip';

describe.each(Object.keys(DAMAGE))('a manifest that is %s', (kind) => {
  test('is mended by a command that each command names', async () => {
    const at = await place();
    const fresh = join(at.home, 'elsewhere'); // where no manifest is remembered
    writeFileSync(join(at.source, 'a'), 'new content of a');
    const run = (...args: readonly string[]) => archiver(at.home, args, { env: { ARCHIVER_HOME: fresh } });
    DAMAGE[kind]?.(at.manifest);
    const store = `file://${at.base}`;
    const version = ['--dataset-id', at.datasetId, '--version', '1'];

    const ran = {
      'restore --dataset-id': await run('restore', store, join(at.home, 'out'), '--all', ...version),
      sync: await run('sync', at.source, store),
      ...(isSeenByUrl(kind)
        ? {
            list: await run('list', at.url),
            restore: await run('restore', at.url, join(at.home, 'out'), '--all'),
            'restore --file': await run('restore', at.url, join(at.home, 'out'), '--file', 'a'),
            download: await run('download', at.url, join(at.home, 'out')),
            verify: await run('verify', at.url),
            shell: await run('shell', at.url, '-c', 'ls'),
          }
        : {}),
      ...(isSeenAlone(kind)
        ? { info: await run('info', at.url), 'verify --quick': await run('verify', at.url, '--quick') }
        : {}),
    };

    for (const [command, { status, stdout, stderr }] of Object.entries(ran)) {
      expect([command, status]).toEqual([command, 1]);
      expect([command, stdout + stderr]).toEqual([command, expect.stringContaining(`archiver repair ${at.url}`)]);
    }
    expect(existsSync(join(at.home, 'out', 'a'))).toBe(false);
  });
});

test('a version that builds on a damaged manifest names the repair of that one', async () => {
  const at = await place();
  writeFileSync(join(at.source, 'a'), 'new content of a');
  const synced = await archiver(at.home, ['sync', at.source, `file://${at.base}`, '--json', '--quiet']);
  const { location } = JSON.parse(synced.stdout) as { location: string };
  truncateSync(at.manifest, 200);
  const env = { ARCHIVER_HOME: join(at.home, 'elsewhere') };
  const diff = ['dataset', 'diff', `file://${at.base}`, '--dataset-id', at.datasetId, '--from', '1', '--to', '2'];

  for (const args of [['list', location], ['verify', location], diff]) {
    const { status, stdout, stderr } = await archiver(at.home, args, { env });
    expect([status, stdout + stderr]).toEqual([1, expect.stringContaining(`archiver repair ${at.url}`)]);
  }
});
