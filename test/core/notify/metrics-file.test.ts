import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { metricsWith, writeRunMetrics } from '../../../src/core/notify/metrics-file.js';
import type { EndedRun } from '../../../src/core/events/run-facts.js';
import { tempFolder } from '../../support/temp-folder.js';

const run = { command: 'sync', source: '/data/"a"\n', store: 's3://bucket/lab' };
const ended: EndedRun = {
  status: 'done',
  exitStatus: 0,
  files: 3,
  bytes: 1000,
  storedBytes: 200,
  durationMs: 1500,
  endedAt: new Date('2026-03-04T05:06:07Z'),
};
const LABELS = '{command="sync",source="/data/\\"a\\"\\n",store="s3://bucket/lab"}';
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '' && line[0] !== '#');

describe('the metrics of runs', () => {
  test('are of the last run, by what is archived', () => {
    expect(linesOf(metricsWith('', run, ended))).toEqual([
      `archiver_run_timestamp_seconds${LABELS} 1772600767`,
      `archiver_run_duration_seconds${LABELS} 1.5`,
      `archiver_run_exit_status${LABELS} 0`,
      `archiver_run_success${LABELS} 1`,
      `archiver_run_files${LABELS} 3`,
      `archiver_run_bytes${LABELS} 1000`,
      `archiver_run_stored_bytes${LABELS} 200`,
      `archiver_run_last_success_timestamp_seconds${LABELS} 1772600767`,
    ]);
  });

  test('keep when a run last succeeded, and what other runs wrote', () => {
    const other = { ...run, source: '/other' };
    const before = metricsWith(metricsWith('', run, ended), other, ended);

    const after = metricsWith(before, run, {
      status: 'failed',
      exitStatus: 1,
      durationMs: 10,
      endedAt: new Date('2026-03-05T05:06:07Z'),
    });

    const own = linesOf(after).filter((line) => line.includes(LABELS));
    expect(own).toContain(`archiver_run_success${LABELS} 0`);
    expect(own).toContain(`archiver_run_timestamp_seconds${LABELS} 1772687167`);
    expect(own).toContain(`archiver_run_last_success_timestamp_seconds${LABELS} 1772600767`);
    expect(own.some((line) => line.startsWith('archiver_run_files'))).toBe(false);
    const others = (text: string): readonly string[] => linesOf(text).filter((line) => line.includes('"/other"'));
    expect(others(after)).toEqual(others(before));
    expect(others(after)).toHaveLength(8);
    expect(after.match(/# TYPE archiver_run_success gauge/g)).toHaveLength(1);
  });

  test('replace the file, readable for others, and keep what runs at the same time wrote', async () => {
    const path = join(await tempFolder(), 'archiver.prom');
    await writeFile(path, 'not ours\n', { mode: 0o644 });

    const runs = Array.from({ length: 8 }, (_, n) => ({ ...run, source: `/data/${n}` }));
    await Promise.all(runs.map((one) => writeRunMetrics(path, one, ended)));

    const text = await readFile(path, 'utf8');
    expect(linesOf(text)).toHaveLength(8 * 8);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });
});
