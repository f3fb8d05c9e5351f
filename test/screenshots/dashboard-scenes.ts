// What a laboratory sees: a month of costs, budgets of which one is past its alert, an upload that runs and two that do not.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLogRecord } from '../../src/core/archive/resume/entry-log.js';
import { logHeader } from '../../src/core/platform/state/log.js';
import { recordKey } from '../../src/core/dataset/records/version-record.js';
import { heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { fillHome, lockUpload, savedId, saveUpload } from '../support/dashboard-home.js';
import { heartbeat, heartbeatSource } from '../support/heartbeat.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { storedUploads } from '../support/stored-uploads.js';
import type { PhotographedScreen, World } from './scene.js';

/** Where the clock of the program stands (clock.mjs). */
const NOW = new Date('2025-11-14T12:04:31Z');
const MIB = 2 ** 20;

export const dashboardScreen: PhotographedScreen = {
  name: 'dashboard',
  open: openWorld,
  scenes: [
    { name: 'overview', steps: [['see', 'genomics-2025']] },
    { name: 'costs', steps: [['see', 'genomics-2025'], ['type', '2'], ['see', 'BY STORAGE CLASS']] },
    { name: 'budget', steps: [['see', 'genomics-2025'], ['type', '2\r'], ['see', 'a day']] },
    { name: 'uploads', steps: [['see', 'genomics-2025'], ['type', '3'], ['see', 'shards']] },
    { name: 'inventory', steps: [['see', 'genomics-2025'], ['type', '4'], ['see', '8 uploads']] },
    { name: 'analyze', steps: [['see', 'genomics-2025'], ['type', '5a'], ['see', /Scanned \d+ objects/]] },
    { name: 'fleet', steps: [['see', 'genomics-2025'], ['type', '6'], ['see', 'lab-nas-02']] },
    { name: 'help', steps: [['see', 'genomics-2025'], ['type', '3?'], ['see', 'Keys in the dashboard']] },
  ],
}; // prettier-ignore

async function openWorld(): Promise<World> {
  const cwd = await mkdtemp(join(tmpdir(), 'archiver-screens-'));
  const home = join(cwd, '.archiver');
  await fillHome(home, NOW, { days: 14, budgets: 3, uploads: 3 });
  await lockUpload(home, 0, hostname());
  await noteChunks(home);
  await saveUpload(home, 2, NOW, {
    failure: 'access denied (403)',
    done: { files: 0, bytes: 0, chunks: 1, storedBytes: 9 * MIB },
  });
  for (const n of [0, 1, 2]) {
    const written = new Date(NOW.getTime() - (n === 0 ? 2000 : n * 5_000_000));
    await utimes(join(home, 'state', `${savedId(n)}.json`), written, written);
  }
  const server = await startMemoryS3('acme-archive');
  putWriters(server);
  for (const [key, body] of storedUploads(8))
    server.buckets.get('acme-archive')?.set(`lab/${key}`, { body, etag: key, modified: NOW, headers: {} });
  await mkdir(join(cwd, '.aws'));
  await writeFile(
    join(cwd, '.aws', 'credentials'),
    '[lab]\naws_access_key_id = archiver\naws_secret_access_key = archiver-secret\n',
  );
  return {
    args: ['dashboard', 's3://acme-archive/lab', '--region', 'us-west-2', '--profile', 'lab'],
    cwd,
    env: {
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      HOME: cwd,
      ARCHIVER_HOME: home,
      AWS_ENDPOINT_URL: server.endpoint,
    },
    async close() {
      await server.close();
      await rm(cwd, { recursive: true });
    },
  };
}

/** What the upload that runs has sent to each of its shards. */
async function noteChunks(home: string): Promise<void> {
  const id = savedId(0);
  const records = Array.from({ length: 364 }, (_, chunk) => {
    const shard = chunk % 8;
    const key = `shard-0${shard}/chunk-${String(chunk).padStart(6, '0')}.tar.zst`;
    const size = (90 + ((chunk * 7 + shard * 3) % 20)) * MIB;
    const frame = { size: size - 3, rawSize: 2 * size, sha256: 'b'.repeat(64) };
    const stored = { size, rawSize: 2 * size, entries: 20, level: 3, storageClass: 'STANDARD', sha256: 'a'.repeat(64) };
    return encodeLogRecord({
      key: `uploads/${id}/${key}`,
      record: { chunk, key, shard, ...stored, tocSize: 3, frames: [frame] },
      toc: Buffer.from('toc'),
    });
  });
  await writeFile(join(home, 'state', `${id}.entries`), Buffer.concat([logHeader(id), ...records]));
}

/** Two writers that checked in by the clock of the server, which is this one. */
function putWriters({ buckets }: MemoryS3): void {
  for (const [writerId, minutes] of [
    ['lab-nas-01', 4],
    ['lab-nas-02', 192],
  ] as const) {
    const modified = new Date(Date.now() - 60_000 * minutes);
    const at = modified.toISOString();
    const sources = ['raw', 'bam', 'vcf'].map((name) => heartbeatSource({ path: `/data/${name}`, lastSuccessAt: at }));
    const cycle = { startedAt: at, endedAt: at, isHealthy: true };
    const body = heartbeatBytes(heartbeat(writerId, { checkedInAt: at, lastSuccessAt: at, cycle, sources }));
    const put = (key: string, of: Buffer): void =>
      void buckets.get('acme-archive')?.set(`lab/${key}`, { body: of, etag: writerId, modified, headers: {} });
    put(heartbeatKey(writerId), body);
    put(`writers/${writerId}/${recordKey({ datasetId: 'data-1a2b3c4d', version: 7 })}`, Buffer.from('{}'));
  }
}
