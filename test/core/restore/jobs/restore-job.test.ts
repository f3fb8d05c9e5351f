import { expect, test } from 'vitest';
import { encodeStateDocument } from '../../../../src/core/platform/state/document.js';
import { encodeJob, newJobId, parseJob, type RestoreJob } from '../../../../src/core/restore/jobs/restore-job.js';
import { chunk, jobFields } from './sample-job.js';

const ID = 'rj-0a1b2c3d';
const JOB: RestoreJob = { id: ID, status: 'pending', ...jobFields() };
const PATH = '/jobs/rj-0a1b2c3d.json';
const KIND = { type: 'archiver-restore-job', format: 1 };

/** A file whose checksum is right, whatever is in it. */
const signed = (more: object): string => encodeStateDocument(KIND, { ...JOB, ...more });

test('an id is rj- and eight hex digits', () => {
  expect(newJobId()).toMatch(/^rj-[0-9a-f]{8}$/);
});

test.each<[string, Partial<RestoreJob>]>([
  ['files', {}],
  ['everything of a dataset version, flat', { selectors: { all: true }, datasetId: 'd-1', version: 3, flatten: true }],
  ['a commit and a stage', { selectors: { commits: ['0123456'], stages: ['train'] }, verify: false }],
  ['a cost that is not known', { estimatedCostUsd: null, endpointUrl: 'http://localhost:9000' }],
  [
    'one that failed',
    { status: 'failed', completedAt: JOB.createdAt, error: 'gone', result: { files: 1, bytes: 2, failed: 3 } },
  ],
])('a job reads back as it was written: %s', (_name, more) => {
  const job = { ...JOB, ...more };

  expect(parseJob(encodeJob(job), ID, PATH)).toEqual({ ...KIND, ...job });
});

test('a job that an older archiver made for one selector reads as it would be written now', () => {
  const selectors = { files: [], pattern: '*.csv', shards: [1] };

  expect(parseJob(signed({ selectors }), ID, PATH).selectors).toEqual({ files: [], patterns: ['*.csv'], shards: [1] });
});

test.each<[string, string, string, RegExp]>([
  ['an empty file', '', 'integrity', /is damaged: it is not a JSON document/],
  ['half a file', encodeJob(JOB).slice(0, 200), 'integrity', /is damaged/],
  ['one flipped digit', encodeJob(JOB).replace('"files":2', '"files":3'), 'integrity', /does not match its checksum/],
  ['another document', '{"type":"archiver-upload-state"}', 'integrity', /is not a restore job of archiver/],
  ['a list', '[]', 'integrity', /is not an object/],
  ['a newer format', signed({ format: 2 }), 'unsupported', /has format 2, and this archiver reads 1/],
  ['the file of another job', signed({ id: 'rj-00000000' }), 'integrity', /belongs to rj-00000000/],
  ['an unknown status', signed({ status: 'lost' }), 'integrity', /'status' .* one of pending, ready/],
  ['an output folder that is relative', signed({ outputDir: 'out' }), 'integrity', /'outputDir' .* absolute path/],
  ['a place that is none', signed({ location: { baseUrl: 'x', uploadId: 'u' } }), 'integrity', /'baseUrl'/],
  [
    'an upload id with a slash',
    signed({ location: { baseUrl: 's3://bucket', uploadId: '../u' } }),
    'integrity',
    /'uploadId'/,
  ],
  ['a selector from the future', signed({ selectors: { files: ['a'], owner: 'me' } }), 'integrity', /'owner'/],
  ['selectors that added up', signed({ selectors: { files: ['a'], md5: 'f'.repeat(32) } }), 'integrity', /'md5'/],
  ['a selector of another type', signed({ selectors: { files: 'a' } }), 'integrity', /'files'/],
  ['a negative size', signed({ chunks: [chunk(0, 'cold', { sizeBytes: -1 })] }), 'integrity', /'sizeBytes'/],
  ['a key outside of uploads', signed({ chunks: [chunk(0, 'cold', { key: 'uploads/../x/y' })] }), 'integrity', /'key'/],
  ['an unknown state', signed({ chunks: [{ ...chunk(0, 'cold'), state: 'warm' }] }), 'integrity', /'state'/],
  [
    'an expiry that is no time',
    signed({ chunks: [chunk(0, 'cold', { expiresAt: 'soon' })] }),
    'integrity',
    /'expiresAt'/,
  ],
  ['a time that is none', signed({ createdAt: 'yesterday' }), 'integrity', /'createdAt'/],
  ['a cost below nothing', signed({ estimatedCostUsd: -1 }), 'integrity', /'estimatedCostUsd'/],
])('is refused with a sentence that names the file: %s', (_name, text, code, message) => {
  expect(() => parseJob(text, ID, PATH)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) as string }),
  );
  expect(() => parseJob(text, ID, PATH)).toThrow(PATH);
});
