// A real server that is stopped and started beside screens that are open: what each of them says meanwhile, at the sizes of terminals.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { archiver, CLI } from '../e2e/upload-cli.js';
import { noMinio, startMinio } from '../servers/minio.js';
import { clientEnv } from '../servers/s3-server.js';
import { fillHome } from '../support/dashboard-home.js';
import { expectClean } from '../support/full-screen.js';
import { heartbeat } from '../support/heartbeat.js';
import { openSession, type TerminalSession } from '../support/terminal-session.js';

const URL = 's3://lab/p';
const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
] as const;
const lacking = noMinio();
let isHalted = false;

let folder = '';
let server: Awaited<ReturnType<typeof startMinio>> | undefined;
let env: Record<string, string> = {};

beforeAll(async () => {
  if (lacking !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'archiver-stopped-'));
  server = await startMinio();
  env = { HOME: folder, ARCHIVER_HOME: join(folder, '.archiver'), ...clientEnv(server) };
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: 'lab' }));
  const now = new Date();
  const sent = heartbeat('nas-1', { checkedInAt: now.toISOString(), sources: [] });
  const beat = { Bucket: 'lab', Key: `p/${heartbeatKey('nas-1')}`, Body: heartbeatBytes(sent) };
  await client.send(new PutObjectCommand(beat));
  client.destroy();
  mkdirSync(join(folder, 'source'));
  for (const name of ['part-1.csv', 'part-2.csv']) writeFileSync(join(folder, 'source', name), `${name},1\n`);
  const ran = await archiver(folder, ['upload', 'source', URL, '--dataset-id', 'run', '--json'], { env });
  if (ran.status !== 0) throw new Error(ran.stderr);
  await fillHome(join(folder, '.archiver'), now, { days: 2, budgets: 1, uploads: 1 });
});
async function halt(): Promise<void> {
  await server?.halt();
  isHalted = true;
}
async function resume(): Promise<void> {
  await server?.resume();
  isHalted = false;
}
// A test that failed may have left it halted.
beforeEach(async () => {
  if (isHalted) await resume();
});
afterAll(async () => {
  await server?.stop();
  if (folder !== '') rmSync(folder, { recursive: true });
});

function open(columns: number, rows: number, ...args: readonly string[]): TerminalSession {
  return openSession([CLI, ...args], { cwd: folder, env, columns, rows });
}

const DEAD = /✗ (?:fleet )?unreachable since \d\d:\d\d, try \d+ of 10/;
const CALM = 'nothing needs attention';

test.skipIf(lacking !== undefined)(
  'the overview says within a refresh that its store is away, though it reads the fleet once a minute',
  async () => {
    const session = open(80, 24, 'dashboard', URL, '--refresh', '1s');
    await session.until(/1 writer|nas-1/);
    await halt();
    const haltedMs = Date.now();
    await session.until(/✗ fleet unreachable since/);
    // A refresh, and a busy machine; the fleet itself is read again after a minute.
    expect(Date.now() - haltedMs).toBeLessThan(20_000);
    await resume();
    await session.untilGone('fleet unreachable since');
    session.type('q');
    expect(await session.exited).toBe(0);
  },
);

test.skipIf(lacking !== undefined).each(SIZES)(
  'the dashboard at %dx%d says at once that its store is away, and is itself again when it is back',
  async (columns, rows) => {
    const session = open(columns, rows, 'dashboard', URL, '--refresh', '1s');
    await session.until((lines) =>
      ['SPEND', 'UPLOADS', 'FLEET'].every((part) => lines.some((line) => line.includes(part))),
    );
    const calm = await session.until(/genomics-2025.*82|82.*genomics-2025/);
    await session.until(/1 writer|nas-1/);
    expect(calm.join('\n')).not.toContain(CALM);

    session.type('4');
    await session.until(/(?<!of )1 upload\b(?! read)/);
    await halt();
    const seen = (await session.until(DEAD)).join('\n');
    expect(seen).toMatch(/figures of \d\d:\d\d/);
    await session.until(/refused/);
    session.type('6R');
    await session.until(DEAD);
    session.type('1');
    const overview = (await session.until(/✗ fleet unreachable since/)).join('\n');
    expect(overview).not.toContain(CALM);
    expect(overview).toContain('press 6');

    await resume();
    await session.untilGone('unreachable');
    expect((await session.screen()).join('\n')).not.toContain(CALM);
    await session.until(/1 writer|nas-1/);
    session.type('4');
    await session.until(/1 upload/);
    session.type('q');
    expect(await session.exited).toBe(0);
    await expectClean(session);
  },
);

test.skipIf(lacking !== undefined).each(SIZES)(
  'browse at %dx%d waits while its store is away, and goes on when it is back',
  async (columns, rows) => {
    const session = open(columns, rows, 'browse', URL, '--dataset-id', 'run');
    await session.until('part-1.csv');
    await halt();
    session.type('v');
    await session.until(/unreachable since|no answer since|opening the version/);
    session.type('j');
    await session.until(/^▸.*part-2.csv/);
    await resume();
    await session.untilGone('unreachable since');
    await session.until('part-1.csv');
    session.type('q');
    expect(await session.exited).toBe(0);
    await expectClean(session);
  },
);

test.skipIf(lacking !== undefined)(
  'a command of the shell waits while the store is away, and ends when it is back',
  async () => {
    const session = open(80, 24, 'shell', URL, '--dataset-id', 'run', '--ignore-budget');
    await session.until('/>');
    await halt();
    session.type('cat part-1.csv\r');
    await session.until(/> cat part-1.csv$/);
    await resume();
    await session.until('part-1.csv,1');
    session.type('exit\r');
    expect(await session.exited).toBe(0);
  },
);
