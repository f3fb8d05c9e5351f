import { describe, expect, it } from 'vitest';
import { type FetchResult, finalLines, type UploadResult } from '../../../src/screens/progress/final-lines.js';
import { interruptedLines } from '../../../src/screens/progress/interrupted-lines.js';
import { sampleSnapshot, thawingSnapshot } from './sample-snapshot.js';

const GIB = 1024 ** 3;
const look = { unicode: true, color: false };
const upload: UploadResult = {
  operation: 'upload',
  files: 13_290,
  bytes: 116 * GIB,
  storedBytes: 60.8 * GIB,
  durationMs: 1_000_000,
  location: 's3://acme-archive/lab/uploads/20251114-093012-a41f',
  datasetId: 'run-0412-1a2b3c4d',
  version: 3,
  problems: [],
};
const restore: FetchResult = {
  operation: 'restore',
  files: 41,
  bytes: 812 * GIB,
  durationMs: 180_000,
  target: './out',
  ranges: 1204,
  fetchedBytes: 402 * GIB,
  problems: [],
};
const problems = Array.from({ length: 12 }, (_, index) => ({
  path: `dir/f\u001b${index}`,
  reason: 'permission denied',
}));

describe('finalLines', () => {
  it('says what was uploaded, where it is and what to do next', () => {
    expect(finalLines(upload, look)).toEqual([
      '✓ Uploaded 13 290 files, 116 GiB stored as 60.8 GiB, in 16m40s',
      '  location  s3://acme-archive/lab/uploads/20251114-093012-a41f',
      '  version   run-0412-1a2b3c4d v3',
      '  next      archiver verify s3://acme-archive/lab/uploads/20251114-093012-a41f',
    ]);
  });

  it('says of a version how little of it was new', () => {
    expect(finalLines({ ...upload, storedBytes: 4854, isDifference: true }, look)[0]).toBe(
      '✓ Synced 13 290 files, 116 GiB with 4.7 KiB newly stored, in 16m40s',
    );
  });

  it('says what was restored and what it took', () => {
    expect(finalLines({ ...restore, next: 'archiver verify s3://b/u/1' }, look)).toEqual([
      '✓ Restored 41 files, 812 GiB to ./out, in 3m',
      '  fetched   402 GiB in 1 204 requests for content',
      '  next      archiver verify s3://b/u/1',
    ]);
    expect(finalLines({ ...restore, operation: 'download', files: 1 }, look)).toEqual([
      '✓ Downloaded 1 file, 812 GiB to ./out, in 3m',
      '  fetched   402 GiB in 1 204 requests for content',
    ]);
  });

  it('marks a partial result and names the first ten problems', () => {
    const lines = finalLines({ ...restore, problems }, look);

    expect(lines[0]).toBe('▲ Restored 41 files, 812 GiB to ./out, in 3m; 12 files failed');
    expect(lines[1]).toBe('  failed    dir/f\\x1b0: permission denied');
    expect(lines[10]).toBe('  failed    dir/f\\x1b9: permission denied');
    expect(lines[11]).toBe('            and 2 more');
    expect(lines).toHaveLength(13);
  });

  it('lines the skipped files of an upload up with the rest', () => {
    expect(finalLines({ ...upload, problems: problems.slice(0, 1) }, look).slice(0, 3)).toEqual([
      '▲ Uploaded 13 290 files, 116 GiB stored as 60.8 GiB, in 16m40s; 1 file left out',
      '  left out  dir/f\\x1b0: permission denied',
      '  location  s3://acme-archive/lab/uploads/20251114-093012-a41f',
    ]);
  });

  it.each([
    [['in/'], '1 folder left out'],
    [['in/', 'out/'], '2 folders left out'],
    [['in/', 'pipe'], '2 paths left out'],
  ])('says what %j are', (paths, text) => {
    const left = paths.map((path) => ({ path, reason: 'belongs to archiver itself' }));
    expect(finalLines({ ...upload, problems: left }, look)[0]).toMatch(new RegExp(`; ${text}$`));
  });

  it('has other words for a file that changed while it was read: it is stored', () => {
    const changed = (path: string) => ({ path, reason: 'changed while it was being read' });
    const left = { path: 'c', reason: 'permission denied' };

    const lines = finalLines({ ...upload, problems: [changed('a'), left, changed('b')] }, look);

    expect(finalLines({ ...upload, problems: [changed('a')] }, look)[0]).toMatch(/; 1 file changed while it was read$/);
    expect(lines[0]).toMatch(/; 1 file left out, 2 files changed while they were read$/);
    expect(lines.slice(1, 4)).toEqual([
      '  left out  c: permission denied',
      '  changed   a: changed while it was being read',
      '  changed   b: changed while it was being read',
    ]);
  });

  it('writes ASCII alone where the locale has nothing else', () => {
    const lines = finalLines({ ...upload, location: 'file:///mnt/é' }, { unicode: false, color: false });

    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
    expect(lines[0]).toMatch(/^ok: Uploaded/);
  });

  it('colours the sign only', () => {
    expect(finalLines(upload, { unicode: true, color: true })[0]).toContain('\u001b[32m✓\u001b[39m Uploaded');
  });

  it('quotes a location for the shell when it needs it', () => {
    const lines = finalLines({ ...upload, location: "file:///mnt/my disk/it's" }, look);

    expect(lines[1]).toBe("  location  file:///mnt/my disk/it's");
    expect(lines.at(-1)).toBe(String.raw`  next      archiver verify 'file:///mnt/my disk/it'"'"'s'`);
  });
});

describe('interruptedLines', () => {
  it('says how far an upload came and that nothing of it counts', () => {
    expect(interruptedLines(sampleSnapshot(), look)).toEqual([
      '▲ Upload stopped after 7m20s: 364 of 594 chunks sent',
      '  kept  committed uploads are untouched; this one was not committed',
    ]);
  });

  it('does not claim to know when it was stopped while committing', () => {
    expect(interruptedLines(sampleSnapshot({ phase: 'committing' }), look)[1]).toContain('may have been committed');
  });

  it('says which files a restore leaves behind', () => {
    const snapshot = sampleSnapshot({
      operation: 'restore',
      target: './out',
      itemsDone: 12,
      itemsTotal: 41,
      read: undefined,
    });

    expect(interruptedLines(snapshot, look)).toEqual([
      '▲ Restore stopped after 7m20s: 12 of 41 files, 71.2 GiB',
      '  kept  files already written stay in ./out',
    ]);
  });

  it('names the job of a restore that waits for cold storage', () => {
    expect(interruptedLines(thawingSnapshot(), look)).toEqual([
      '▲ Restore stopped after 7m20s: waiting, 7 of 12 chunks readable',
      '  kept  what was asked for comes back all the same; the job is saved: archiver restore jobs check rj-7f3a1b2c',
    ]);
  });

  it('says that nothing was transferred when it stopped before the plan', () => {
    const snapshot = sampleSnapshot({ itemsTotal: undefined, chunksTotal: undefined });

    expect(interruptedLines(snapshot, look)[0]).toContain('nothing was transferred yet');
    expect(interruptedLines(sampleSnapshot({ operation: undefined }), look)).toEqual([]);
  });
});
