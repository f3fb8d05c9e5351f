// npx tsx bench/plan-windows.ts [--entries 1000000] [--parts 64 | --part-size BYTES] [--work FOLDER]: what a plan of a generated source takes that
// has nothing to compare with: lists it a window at a time, cuts parts and writes their lists, in one thread; the source is made up by the
// calls that a scan makes, 1,000 files of 1 KiB in each folder, and nothing is sent to a store. Prints seconds by the clock and of CPU, and peak
// memory.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withLists } from '../src/core/archive/parts/list-windows.js';
import { settingsOf } from '../src/core/archive/run/settings.js';
import { NO_ENCRYPTION } from '../src/core/archive/run/upload-encryption.js';
import { UploadLedger } from '../src/core/archive/run/upload-ledger.js';
import type { UploadRun } from '../src/core/archive/run/upload-run.js';
import { NO_FILTER } from '../src/core/archive/scan/filter.js';
import { scan, type ScanResult } from '../src/core/archive/scan/scan.js';
import type { ScanWindow } from '../src/core/archive/scan/scan-window.js';
import type { SourceFs } from '../src/core/archive/scan/source-fs.js';
import { openEntryTable } from '../src/core/format/columns/entry-table.js';
import { type RawPath, rawFromText } from '../src/core/platform/paths/raw-path.js';

const FILES = 1000;
const FOLDERS = 1000;
const MAX_ROWS = 2 ** 19;
const NOW = 1_770_000_000;
const SOURCE = rawFromText('/generated');

/** A folder of groups of folders of files. */
function generatedFs(entries: number): SourceFs {
  const groups = Math.ceil(entries / (FILES * FOLDERS));
  const names = (what: string, count: number): readonly RawPath[] =>
    Array.from({ length: count }, (_, at) => rawFromText(`${what}-${String(at).padStart(4, '0')}`));
  const [ofGroups, ofFolders, ofFiles] = [names('group', groups), names('folder', FOLDERS), names('file', FILES)];
  const refuse = (): never => {
    throw new Error('nothing is opened by a scan of this');
  };
  let inode = 0n;
  return {
    loss: undefined,
    readDirectory: (path) => [ofGroups, ofFolders, ofFiles][path.split('/').length - 2] ?? [],
    lstat(path, stat) {
      const isFile = path.split('/').length === 5;
      const size = isFile ? 1024 : 0;
      const times = { atimeSeconds: NOW, mtimeSeconds: NOW, mtimeNanos: 1, ctimeSeconds: NOW, ctimeNanos: 1 };
      const mode = isFile ? 0o100644 : 0o040755;
      Object.assign(stat, { mode, size, blocks: 2, nlink: 1, uid: 0, gid: 0, inode: ++inode, device: 1, ...times });
    },
    isInRepository: () => false,
    readLink: refuse,
    contentOf: refuse,
    openFile: refuse,
    openRoot: refuse,
    fstat: refuse,
    close: refuse,
    xattrs: refuse,
    xattrsAt: refuse,
    extents: refuse,
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      entries: { type: 'string', default: '1000000' },
      parts: { type: 'string' },
      'part-size': { type: 'string', default: String(64 * 2 ** 30) },
      work: { type: 'string', default: mkdtempSync(join(tmpdir(), 'archiver-bench-')) },
    },
  });
  const fs = generatedFs(Number(values.entries));
  const scanWindow = (window: ScanWindow | undefined): ScanResult =>
    scan({ fs, root: SOURCE, filter: NO_FILTER, window, readText: () => undefined });
  const scanned = scanWindow({ after: undefined, maxRows: MAX_ROWS });
  const settings = settingsOf({ source: SOURCE, emit: () => undefined, signal: new AbortController().signal });
  // What listing a source needs of a run.
  const run = {
    ...settings,
    scanned,
    ledger: new UploadLedger(openEntryTable(scanned.table)),
    store: { url: 's3://bucket' },
    encryption: NO_ENCRYPTION,
  } as unknown as UploadRun;
  const partSize =
    values.parts === undefined ? { bytes: Number(values['part-size']) } : { count: Number(values.parts) };
  mkdirSync(values.work, { recursive: true });
  await withLists(
    run,
    { partSize, maxRows: MAX_ROWS, scanOn: (window) => Promise.resolve(scanWindow(window)) },
    async (lists) => {
      for (const [part, { list }] of lists.parts.entries())
        writeFileSync(join(values.work, `${String(part).padStart(6, '0')}.json.gz`), await list());
      const { entries, bytes } = lists.totals;
      console.log(`${lists.parts.length} parts, ${entries} entries, ${bytes} bytes; ${lists.amounts.bytes} to send`);
    },
  );
  const { user, system } = process.cpuUsage();
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${(performance.now() / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s CPU, ${peak} MiB`);
}

await main();
