// node --import tsx bench/segments.mjs FOLDER --entries N: makes a store whose versions list N entries, without files to make them from, by
// processes side by side with some megabytes of memory each. 100 million take 2.6 GB, and half an hour of a busy machine with two cores.
//   --entries N      how many (default 1000000)
//   --without-md5    entries have no checksums
// Version 1 lists everything; version 2 differs from it by 1 % in three folders; version 3 differs from version 2 by 1 % scattered over all
// folders, a delta. Every thousandth entry is a file that can be restored; the others lie where that one does, with checksums of nothing.
// Names and times are more regular than real ones: 27 bytes an entry, gzipped, where a million small files of a folder took 44.
import { execFileSync, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { composeManifest } from '../src/core/format/manifest/compose-manifest.ts';
import { loadOpened, readLoaded } from '../src/core/format/manifest/loaded-manifest.ts';
import { encodeBeginning, manifestIndexOf } from '../src/core/format/manifest/manifest-index.ts';
import { segmentHeadText } from '../src/core/format/manifest/segment-head.ts';
import { segmentName } from '../src/core/format/manifest/segment-key.ts';
import { entriesPerSegment, headOfSegments } from '../src/core/format/manifest/segmented.ts';
import { encodeVersionRecord } from '../src/core/dataset/records/version-record.ts';
import { parseTimestamp } from '../src/core/format/manifest/timestamp.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const WORKER = 'worker';
const BLOCK = 4096;
const FILES = 1000; // of a folder
const FOLDERS = 1000; // of a group
const PER_FOLDER = FILES + 1;
const PER_GROUP = FOLDERS * PER_FOLDER + 1;
const LEVEL = 4; // as archiver does
const TIMES = ['2026-01-02T03:04:05.000000001Z', '2026-02-03T04:05:06.000000002Z', '2026-03-04T05:06:07.000000003Z'];

const padded = (number, digits) => String(number).padStart(digits, '0');

/** The path of an entry; for a folder, `isFile` is false. */
function placeOf(entry) {
  const [group, inGroup] = [Math.floor(entry / PER_GROUP), entry % PER_GROUP];
  const top = `group-${padded(group, 4)}`;
  if (inGroup === 0) return { path: top, isFile: false };
  const [folder, inFolder] = [Math.floor((inGroup - 1) / PER_FOLDER), (inGroup - 1) % PER_FOLDER];
  const path = `${top}/folder-${padded(folder, 4)}`;
  if (inFolder === 0) return { path, isFile: false };
  return { path: `${path}/file-${padded(inFolder - 1, 4)}.txt`, isFile: true };
}

/** Text of which MD5s are cut: those of an entry at one time are the same in every process. */
const HEX = Array.from({ length: 1 << 14 }, (_, at) => hash('sha512', String(at), 'hex')).join('');
function md5Of(entry, time) {
  const at = Math.imul(entry + TIMES.indexOf(time), 0x9e3779b1) >>> 0;
  const start = at % (HEX.length - 32);
  return HEX.slice(start, start + 32);
}

const isReal = (entry) => entry % 1000 === 500;

function lineOf(entry, time, { size, md5, offset, withMd5 }) {
  const { path, isFile } = placeOf(entry);
  const owner = '"uid":1000,"gid":1000,"user":"lab","group":"lab"';
  const end = `"ctime":"${time}","inode":"${10_000_000 + entry}"}`;
  if (!isFile) return `{"path":"${path}","type":"directory","mtime":"${time}","mode":"0755",${owner},${end}`;
  const sum = withMd5 ? `"md5":"${isReal(entry) ? md5 : md5Of(entry, time)}",` : '';
  return `{"path":"${path}","type":"file","size":${size},"mtime":"${time}","mode":"0644",${owner},${sum}"chunk":0,"offset":${offset},${end}`;
}

/** Entries of 1 % in three runs. */
function threeFolders(entries) {
  const run = Math.floor(entries / 300);
  return [0.1, 0.5, 0.8].map((at) => ({ from: Math.floor(entries * at), to: Math.floor(entries * at) + run }));
}

function segmentOf({ number, from, to, changed, uploadId, chunk, content }) {
  const blocks = [];
  const counts = { entries: to - from, files: 0, directories: 0, symlinks: 0, hardlinks: 0, bytes: 0 };
  for (let start = from; start < to; start += BLOCK) {
    const end = Math.min(to, start + BLOCK);
    const lines = [];
    for (let entry = start; entry < end; entry++) {
      const time = changed.some((run) => entry >= run.from && entry < run.to) ? TIMES[1] : TIMES[0];
      lines.push(lineOf(entry, time, content));
      if (placeOf(entry).isFile) {
        counts.files++;
        counts.bytes += content.size;
      } else counts.directories++;
    }
    // A comma and its line end belong to the block before the next entry.
    const bytes = gzipSync(`${lines.join(',\n')}${end === to ? '\n]}\n' : ',\n'}`, { level: LEVEL });
    blocks.push({ bytes, first: placeOf(start).path });
  }
  const head = gzipSync(segmentHeadText({ uploadId, counts, chunks: [chunk] }), { level: LEVEL });
  const index = blocks.map(({ bytes, first }) => ({ size: bytes.length, sha256: hash('sha256', bytes, 'hex'), first }));
  const front = blocks.length > 1 ? encodeBeginning(head, index) : head;
  const bytes = Buffer.concat([front, ...blocks.map((block) => block.bytes)]);
  const sha256 = hash('sha256', bytes, 'hex');
  const key = segmentName(number, sha256);
  const place = manifestIndexOf(bytes);
  return {
    place: { key, size: bytes.length, sha256, counts, first: placeOf(from).path, ...(place && { index: place }) },
    bytes,
  };
}

/** Makes the segments that it is asked for. */
function work() {
  let job;
  process.on('message', (message) => {
    job ??= message.job;
    if (message.segment === undefined) return;
    const { place, bytes } = segmentOf({ ...job, ...message.segment });
    writeFileSync(join(job.folder, place.key), bytes);
    process.send({ position: message.position, place });
  });
}

/** Makes segments side by side; returns their places in order. */
async function segmentsOf(segments, job) {
  mkdirSync(join(job.folder, 'manifest'), { recursive: true });
  const places = [];
  let next = 0;
  await Promise.all(
    Array.from(
      { length: availableParallelism() },
      () =>
        new Promise((done, fail) => {
          const worker = fork(fileURLToPath(import.meta.url), [WORKER]);
          const give = () => {
            if (next >= segments.length) worker.disconnect();
            else worker.send({ segment: segments[next], position: next++ });
          };
          worker.on('exit', (status) => (status === 0 ? done() : fail(new Error(`a worker ended with ${status}`))));
          worker.on('message', ({ position, place }) => {
            places[position] = place;
            give();
          });
          worker.send({ job });
          give();
        }),
    ),
  );
  return places;
}

/** Uploads a folder of one small file; everything else is made from what that is in the store. */
async function seed(store) {
  const source = mkdtempSync(join(tmpdir(), 'archiver-segments-'));
  try {
    writeFileSync(join(source, 'file'), 'content\n');
    const home = join(source, 'home');
    const out = execFileSync(
      process.execPath,
      [CLI, 'sync', source, `file://${store}`, '--exclude', '/home', '--json'],
      {
        env: { ...process.env, ARCHIVER_HOME: home },
        encoding: 'utf8',
      },
    );
    const { uploadId, datasetId } = JSON.parse(out);
    const bytes = readFileSync(join(store, 'uploads', uploadId, 'manifest.json.gz'));
    const loaded = await loadOpened(uploadId, { bytes }, hash('sha256', bytes, 'hex'));
    const record = JSON.parse(readFileSync(join(store, 'datasets', datasetId, 'v00000001.json'), 'utf8'));
    const [chunk] = loaded.head.chunks;
    const {
      value: [{ size, md5, offset }],
    } = await readLoaded(loaded).next();
    return { uploadId, datasetId, head: loaded.head, record, chunk, content: { size, md5, offset } };
  } finally {
    rmSync(source, { recursive: true });
  }
}

const put = (path, bytes) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
};

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { entries: { type: 'string', default: '1000000' }, 'without-md5': { type: 'boolean', default: false } },
  });
  const store = resolve(positionals[0] ?? join(tmpdir(), 'archiver-segments-store'));
  const entries = Number(values.entries);
  const begun = performance.now();
  const made = await seed(store);
  const { uploadId: first, datasetId, record, chunk } = made;
  const content = { ...made.content, withMd5: !values['without-md5'] };
  const { size } = content;
  const per = entriesPerSegment(entries);
  const changed = threeFolders(entries);
  const isTouched = ({ from, to }) => changed.some((run) => run.from < to && from < run.to);
  const all = Array.from({ length: Math.ceil(entries / per) }, (_, at) => ({
    number: at + 1,
    from: at * per,
    to: Math.min(entries, (at + 1) * per),
  }));
  const idAfter = (days) => `202601${padded(2 + days, 2)}-000000-0000000${days}`;
  const folderOf = (uploadId) => join(store, 'uploads', uploadId);
  const said = (what) => console.log(`${what} after ${((performance.now() - begun) / 1000).toFixed(1)} s`);

  const sum = (places, key) => places.reduce((total, { counts }) => total + counts[key], 0);
  const totalsOf = (places) => ({
    ...made.head.totals,
    ...Object.fromEntries(
      ['entries', 'files', 'directories', 'symlinks', 'hardlinks', 'bytes'].map((key) => [key, sum(places, key)]),
    ),
  });
  const putVersion = (version, uploadId, encoded, listing, totals) => {
    put(join(folderOf(uploadId), 'manifest.json.gz'), encoded.bytes);
    const { digest: _digest, ...rest } = record;
    const index =
      listing === 'full' ? { size: encoded.bytes.length, sha256: encoded.sha256 } : manifestIndexOf(encoded.bytes);
    const next = {
      ...rest,
      version,
      uploadId,
      manifestKey: `uploads/${uploadId}/manifest.json.gz`,
      manifestSha256: encoded.sha256,
      manifestIndex: index,
      listing,
      previous: version === 1 ? null : version - 1,
      totals,
    };
    put(join(store, 'datasets', datasetId, `v${padded(version, 8)}.json`), encodeVersionRecord(next));
    return index;
  };

  const places = await segmentsOf(all, { folder: folderOf(first), changed: [], uploadId: first, chunk, content });
  const totals = totalsOf(places);
  const shardsOf = ({ files, bytes }) => made.head.shards.map((shard) => ({ ...shard, files, bytes }));
  const head = { ...made.head, totals, shards: shardsOf(totals), chunks: [], linkGroups: 0 };
  putVersion(1, first, await headOfSegments(head, places, []), 'full', totals);
  said(`version 1: ${all.length} segments, ${places.reduce((total, one) => total + one.size, 0)} bytes`);

  const second = idAfter(1);
  const elsewhere = { ...chunk, key: `../${first}/${chunk.key}` };
  const anew = all.filter(isTouched);
  const own = await segmentsOf(anew, {
    folder: folderOf(second),
    changed,
    uploadId: second,
    chunk: elsewhere,
    content,
  });
  const listed = all.map((segment, at) =>
    isTouched(segment) ? own[anew.indexOf(segment)] : { ...places[at], key: `../${first}/${places[at].key}` },
  );
  const secondHead = await headOfSegments({ ...head, uploadId: second }, listed, []);
  const index = putVersion(2, second, secondHead, 'full', totals);
  said(`version 2: ${own.length} segments anew, ${own.reduce((total, one) => total + one.size, 0)} bytes`);

  const third = idAfter(2);
  const scattered = Math.floor((entries - 8) / 100) + 1;
  const mtime = parseTimestamp(TIMES[2]);
  let files = 0;
  const mention = (entry) => {
    const { path, isFile } = placeOf(entry);
    const file = isFile
      ? { size, ...(content.withMd5 && { md5: md5Of(entry, TIMES[2]) }), chunk: 0, offset: content.offset }
      : { size: 0 };
    files += Number(isFile);
    const type = isFile ? 'file' : 'directory';
    return {
      path,
      type,
      mode: isFile ? 0o644 : 0o755,
      uid: 1000,
      gid: 1000,
      mtime,
      ctime: mtime,
      inode: String(entry),
      ...file,
    };
  };
  async function* mentions() {
    for (let at = 0; at < scattered; at += BLOCK)
      yield Array.from({ length: Math.min(BLOCK, scattered - at) }, (_, one) => mention((at + one) * 100 + 7));
  }
  for (let at = 0; at < scattered; at++) files += Number(placeOf(at * 100 + 7).isFile);
  const own3 = { entries: scattered, files, directories: scattered - files, bytes: files * size };
  const { linkGroups: _groups, ...plain } = head;
  const delta = {
    ...plain,
    uploadId: third,
    listing: 'delta',
    previous: { uploadId: second, sha256: secondHead.sha256, index },
    chain: { deltas: 1, entries: scattered },
    view: totals,
    totals: { ...totals, ...own3 },
    shards: shardsOf(own3),
    chunks: [elsewhere],
  };
  putVersion(3, third, await composeManifest(delta, mentions()), 'delta', totals);
  said(`version 3: a delta of ${scattered} entries`);
  console.log(`file://${store} ${datasetId}`);
}

if (process.argv[2] === WORKER) work();
else await main();
