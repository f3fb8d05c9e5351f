// npx tsx bench/commit-parts.ts STORE [--parts 64] [--work FOLDER]: what `archiver commit` takes for a plan whose parts list what version 1 of a
// store that bench/segments.mjs has made lists: 100 million entries, say. All parts are those of one attempt, whose segments are hard links
// to that version's, as a segment says in whose folder it lies; nothing was planned or packed. Prints seconds by the clock and of CPU, and peak memory, of commit and of plan status.
import { hash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attemptBytes } from '../src/core/dataset/attempts.js';
import { loadAlone } from '../src/core/format/manifest/loaded-manifest.js';
import { loadSegments } from '../src/core/format/manifest/load-segments.js';
import { NO_REQUIREMENTS } from '../src/core/format/manifest/requirements.js';
import { planBytes, resultBytes } from '../src/core/format/parts/part-documents.js';
import { planKey, resultKey } from '../src/core/format/parts/part-keys.js';
import { fileStore } from '../src/core/store/file/file-store.js';
import type { UploadId } from '../src/core/store/ids/upload-id.js';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

function put(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      parts: { type: 'string', default: '64' },
      work: { type: 'string', default: mkdtempSync(join(tmpdir(), 'archiver-bench-')) },
    },
  });
  const store = positionals[0] ?? '';
  const [dataset = ''] = readdirSync(join(store, 'datasets'));
  const record = JSON.parse(readFileSync(join(store, 'datasets', dataset, 'v00000001.json'), 'utf8')) as {
    readonly uploadId: UploadId;
  };
  const first = record.uploadId;
  const bytes = readFileSync(join(store, 'uploads', first, 'manifest.json.gz'));
  const { head } = await loadAlone(first, { bytes }, hash('sha256', bytes, 'hex'));
  const places = head.segments ?? [];
  const [one] = places;
  if (one === undefined) throw new Error(`version 1 of ${store} has no segments`);
  const reader = fileStore(store);
  const { chunks } = await loadSegments(
    { uploadId: first, segments: [one], chunks: [] },
    { reader, segments: 'beginnings' },
  );
  const parts = Number(values.parts);
  const plan = '20260301-000000-00000000' as UploadId;
  const sumOf = (from: number, to: number) => {
    const counts = places.slice(from, to).map((place) => place.counts);
    const sum = (key: keyof (typeof counts)[number]): number => counts.reduce((total, its) => total + its[key], 0);
    const files = sum('files') + sum('symlinks') + sum('hardlinks');
    return { ...head.totals, entries: sum('entries'), files, directories: sum('directories'), bytes: sum('bytes') };
  };
  const ranges = Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((at) => Math.floor((places.length * at) / parts));
    return {
      part,
      from: from ?? 0,
      to: to ?? 0,
      attempt: `20260301-000001-${String(part).padStart(8, '0')}` as UploadId,
    };
  });
  const stored = planBytes({
    ...head,
    type: 'archiver-plan',
    requires: NO_REQUIREMENTS,
    uploadId: plan,
    options: { dvc: 'workspace', allowMassDelete: false, after: 0 },
    linkGroups: 0,
    spanning: { groups: 0, bytes: 0 },
    leftOut: { count: 0, special: 0, reasons: new Map(), paths: [] },
    parts: ranges.map(({ part, from, to }) => {
      const { entries, files, bytes: size } = sumOf(from, to);
      const list = { key: `plan/${part}`, size: 1, sha256: one.sha256 };
      return {
        part,
        first: Buffer.from(places[from]?.first ?? '', 'latin1').toString('base64'),
        ...list,
        entries,
        files,
        bytes: size,
      };
    }),
  });
  put(join(values.work, planKey(plan)), stored);
  const leftOut = { count: 0, special: 0, reasons: new Map<string, number>(), paths: [] };
  const createdAt = new Date().toISOString();
  const folder = join(values.work, 'uploads', first);
  const attempt = { plan, part: 0, uploadId: first, host: 'bench', pid: 1, createdAt, job: {} };
  put(join(folder, 'attempt.json'), attemptBytes(attempt));
  for (const { key } of [...places, ...chunks]) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    linkSync(join(store, 'uploads', first, key), join(folder, key));
  }
  for (const { part, from, to } of ranges) {
    const segments = places.slice(from, to);
    const about = { plan, planSha256: hash('sha256', stored, 'hex'), part, uploadId: first, createdAt };
    put(
      join(values.work, resultKey(plan, part)),
      resultBytes({ ...about, segments, shards: head.shards, totals: sumOf(from, to), leftOut }),
    );
  }
  const env = { ...process.env, ARCHIVER_HOME: join(values.work, 'home') };
  for (const words of [['plan', 'status'], ['commit']]) {
    const url = `file://${join(values.work, 'uploads', plan)}`;
    const args = [
      '-f',
      `${words.join(' ')}: %e s, %U + %S s CPU, %M KiB`,
      process.execPath,
      CLI,
      ...words,
      url,
      '--quiet',
    ];
    execFileSync('/usr/bin/time', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  console.log(values.work);
}

await main();
