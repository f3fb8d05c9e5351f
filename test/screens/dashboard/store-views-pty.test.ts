// The views of a store as a person has them: the built program in a real terminal.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiver, CLI } from '../../e2e/upload-cli.js';
import { checkIn } from '../../support/fleet.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { storedUploads, uploadIdOf } from '../../support/stored-uploads.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

const ESC = '\u001b';
let folder = '';
let url = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-views-'));
  const source = join(folder, 'run-0411');
  mkdirSync(source);
  writeFileSync(join(source, 'part-1.csv'), 'part,1\n');
  url = `file://${folder}/store`;
  const ran = await archiver(folder, ['upload', source, url, '--dataset-id', 'lab', '--json']);
  if (ran.status !== 0) throw new Error(ran.stderr);
  await checkIn(join(folder, 'store'), 'web-01', {}, new Date().toISOString());
});
afterAll(() => rmSync(folder, { recursive: true }));

function dashboard(target: string, more: readonly string[] = []): TerminalSession {
  const env = {
    HOME: folder,
    ARCHIVER_HOME: join(folder, '.archiver'),
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  };
  const args = [
    CLI,
    'dashboard',
    target,
    ...(more.includes('--refresh') ? [] : ['--view', 'inventory', '--refresh', '1h']),
    ...more,
  ];
  return openSession(args, { cwd: folder, env, columns: 100, rows: 30 });
}

test('an upload, its details, the browser and back; a scan, the fleet, a storm of resizes', async () => {
  const session = dashboard(url);
  await session.until('run-0411');
  session.type('\r');
  await session.until('VERSIONS  1');
  session.type('b');
  await session.until('part-1.csv');
  session.type('q');
  await session.until('VERSIONS  1');
  session.type(`${ESC}[Z`); // the view before, and two further, in one chunk
  session.type('\t\ta');
  await session.until(/Scanned \d+ objects/);
  for (const [columns, rows] of [
    [60, 15],
    [59, 14],
    [200, 50],
    [80, 24],
    [120, 40],
  ] as const)
    session.resize(columns, rows);
  await session.until('─'.repeat(120)); // keys do not count while the window is too small
  session.type('6');
  await session.until('web-01');
  session.type('5');
  await session.until(/Scanned \d+ objects/);
  session.type('q');

  expect(await session.exited).toBe(0);
  expect(await session.isAlternate()).toBe(false);
});

/** A port that can be shut and opened again in front of a server. */
async function portBefore(
  endpoint: string,
): Promise<{ url: string; shut: () => Promise<void>; open: () => Promise<void> }> {
  const { port: target } = new URL(endpoint);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(target), '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => one.destroy()).on('close', () => sockets.delete(one));
    }
    socket.pipe(onward).pipe(socket);
  });
  const listen = (port: number): Promise<void> => new Promise((done) => void server.listen(port, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    open: () => listen(port),
    shut: () =>
      new Promise((done) => {
        server.close(() => done());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

test.each([
  [60, 15],
  [80, 24],
  [120, 40],
])(
  'at %dx%d a store that dies is said at the next refresh, with its figures of before, until it is back',
  async (columns, rows) => {
    const server = await startMemoryS3('bucket');
    const port = await portBefore(server.endpoint);
    const options = `--endpoint-url ${port.url} --region us-east-1 --refresh 1s --view overview`;
    const session = dashboard('s3://bucket/lab', options.split(' '));
    session.resize(columns, rows);
    try {
      const fleet = /FLEET +no writer has a place in this store/;
      await session.until(fleet);
      await session.until('nothing needs attention');
      session.type('4');
      await session.until('There is no finished upload');
      await port.shut();
      const dead = /✗ unreachable since \d\d:\d\d, try \d+ of 10, figures of \d\d:\d\d/;
      await session.until(dead);
      await session.until(/the connection was refused|ECONNREFUSED|refused/);
      session.type('6R');
      await session.until(dead);
      session.type('1');
      await session.until(/✗ fleet unreachable since \d\d:\d\d, try \d+ of .* press 6/);
      expect((await session.screen()).join('\n')).not.toContain('nothing needs attention');
      await port.open();
      await session.until('nothing needs attention');
      session.type('q');
      expect(await session.exited).toBe(0);
    } finally {
      await port.shut();
      await server.close();
    }
  },
);

test('a bucket is asked when a view is shown and when a person asks, and not between', async () => {
  const server: MemoryS3 = await startMemoryS3('bucket');
  try {
    for (const [key, body] of storedUploads(12)) {
      const etag = createHash('md5').update(body).digest('hex');
      server.buckets.get('bucket')?.set(`lab/${key}`, { body, etag, modified: new Date(), headers: {} });
    }
    const session = dashboard('s3://bucket/lab', ['--endpoint-url', server.endpoint, '--region', 'us-east-1']);
    await session.until(uploadIdOf(11));
    await session.until(/12 uploads · newest/);
    const asked = server.requests.length;
    session.type('jjjjG/run-3\r');
    await session.until('1 of 1, 12 in all');
    session.type('s24');
    await session.until('by size');
    expect(server.requests.length).toBe(asked);

    session.type('5a');
    await session.until(/Scanned 24 objects/);
    const scanned = server.requests.length;
    session.type('4R');
    await session.until('by size');
    session.type('q');
    expect(await session.exited).toBe(0);
    expect(server.requests.slice(scanned).map(({ operation }) => operation)).toEqual(['ListObjectsV2']);
  } finally {
    await server.close();
  }
});
