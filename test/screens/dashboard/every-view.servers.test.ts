// Every view in a real terminal of each size, without colours, over sources that are empty, huge, or broken. The S3 is that of this process.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { heartbeatBytes, heartbeatKey } from '../../../src/core/fleet/heartbeat.js';
import { CLI } from '../../e2e/upload-cli.js';
import { type FaultProxy, startFaultProxy } from '../../faults/fault-proxy.js';
import { fillHome } from '../../support/dashboard-home.js';
import { expectClean } from '../../support/full-screen.js';
import { heartbeat } from '../../support/heartbeat.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { recordKeyOf, storedUploads } from '../../support/stored-uploads.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

const VIEWS = ['Overview', 'Costs', 'Uploads', 'Inventory', 'Analyze', 'Fleet'];
const SIZES = [
  [80, 24],
  [120, 40],
  [200, 50],
  [60, 15],
] as const;
const now = new Date();

let s3: MemoryS3;
let proxy: FaultProxy;
let home: string;
beforeAll(async () => {
  s3 = await startMemoryS3('lab');
  proxy = await startFaultProxy(s3.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await s3.close();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'archiver-every-view-'));
  s3.buckets.set('lab', new Map());
  proxy.clear();
});
afterEach(() => rmSync(home, { recursive: true }));

const put = (key: string, body: Buffer): void =>
  void s3.buckets.get('lab')?.set(`p/${key}`, { body, etag: `${key.length}`, modified: now, headers: {} });

/** By what it is: fills home and store, and says what a view must show in the end. */
const WORLDS: Readonly<Record<string, { fill: () => Promise<void>; shows: Readonly<Record<string, RegExp>> }>> = {
  empty: {
    fill: () => Promise.resolve(),
    shows: { Overview: /none is set/, Uploads: /none/, Inventory: /no finished upload/, Analyze: /No scan yet/ },
  },
  huge: {
    async fill() {
      await fillHome(join(home, '.archiver'), now, { days: 20, budgets: 1000, uploads: 500 });
      for (const [key, body] of storedUploads(5000)) put(key, body);
      for (let at = 0; at < 2_000; at++) {
        const writerId = `writer-${String(at).padStart(5, '0')}`;
        put(
          heartbeatKey(writerId),
          Buffer.from(heartbeatBytes(heartbeat(writerId, { checkedInAt: now.toISOString() }))),
        );
      }
    },
    shows: {
      Overview: /genomics-2025/,
      Costs: /genomics-2025/,
      Uploads: /of 500/,
      Inventory: /5 000/,
      Fleet: /2 000/,
    },
  },
  broken: {
    async fill() {
      await fillHome(join(home, '.archiver'), now, { days: 2, budgets: 2, uploads: 2 });
      for (const name of ['ledger', 'state']) mkdirSync(join(home, '.archiver', name), { recursive: true });
      writeFileSync(join(home, '.archiver', 'ledger', `${now.toISOString().slice(0, 7)}.jsonl`), '{"half written', {
        flag: 'a',
      });
      writeFileSync(join(home, '.archiver', 'state', '20251114-093000-a41f0000.json'), '{"half');
      for (const [key, body] of storedUploads(8)) put(key, key.includes('manifest') ? body.subarray(0, 40) : body);
      put(recordKeyOf(3), Buffer.from('garbage'));
      put(heartbeatKey('nas'), Buffer.from('{"half'));
      proxy.inject({
        operation: 'GetObject',
        path: /v00000002/,
        fault: { kind: 'status', status: 403, code: 'AccessDenied' },
      });
    },
    shows: { Uploads: /unreadable/, Inventory: /unreadable|damaged|denied/, Fleet: /nas/ },
  },
};

/** Ten times as patient: two thousand writers are four thousand requests. */
async function patient(session: TerminalSession, isRight: (lines: string[]) => boolean): Promise<string[]> {
  for (let tries = 1; tries < 10; tries++) {
    const lines = await session.until(isRight).catch(() => undefined);
    if (lines !== undefined) return lines;
  }
  return await session.until(isRight);
}

test.each(Object.entries(WORLDS))('%s', async (_name, { fill, shows }) => {
  await fill();
  const env = {
    HOME: home,
    ARCHIVER_HOME: join(home, '.archiver'),
    NO_COLOR: '1',
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  };
  const session = openSession([CLI, 'dashboard', 's3://lab/p', '--refresh', '1h'], { cwd: home, env });
  for (const [columns, rows] of SIZES) {
    session.resize(columns, rows);
    await session.until('─'.repeat(columns)); // keys are for the frame that is seen
    for (const [at, view] of VIEWS.entries()) {
      session.type(String(at + 1));
      const wanted = shows[view] ?? /./;
      const lines = await patient(
        session,
        (shown) =>
          shown.length === rows - 1 &&
          shown[1]?.includes(`[${at + 1}`) === true &&
          shown.at(-1)?.includes('quit') === true &&
          shown.some((line) => wanted.test(line)),
      );
      expect(lines[2]).toBe('─'.repeat(columns));
    }
  }
  // No colours: bold and dim alone.
  // oxlint-disable-next-line no-control-regex
  expect(session.written()).not.toMatch(/\u001b\[(?:3[0-7]|9[0-7]|38;|48;)/);
  session.type('q');
  expect(await session.exited).toBe(0);
  await expectClean(session);
});
