// Unfinished multipart uploads below a folder, on a server that shows them of a bucket or of one key only (MinIO).
import { beforeEach, describe, expect, test } from 'vitest';
import { beginMultipart } from '../../../support/begin-multipart.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { errorAnswer } from '../../../support/memory-s3.js';

const s3 = useBrokenS3();

beforeEach(() => {
  s3.server.rules.answer = (operation, { query }) =>
    operation === 'ListMultipartUploads' && query.get('prefix')?.endsWith('/') === true
      ? { status: 200, body: '<ListMultipartUploadsResult/>' }
      : undefined;
  return () => {
    delete s3.server.rules.answer;
  };
});

async function keys(): Promise<readonly string[]> {
  const { store } = await s3.open();
  const found: string[] = [];
  for await (const { key } of store.listMultipart('uploads/')) found.push(key);
  return found;
}

describe('a server that shows no unfinished uploads of a folder', () => {
  test('is asked for those of the bucket, and those elsewhere are left out', async () => {
    await beginMultipart(s3.server.endpoint, 's3://bucket/p', 'uploads/one');
    await beginMultipart(s3.server.endpoint, 's3://bucket/p', 'elsewhere');
    await beginMultipart(s3.server.endpoint, 's3://bucket/other', 'uploads/two');

    expect(await keys()).toEqual(['uploads/one']);
  });

  test('is believed where these credentials may not ask for more', async () => {
    const { answer } = s3.server.rules;
    s3.server.rules.answer = (operation, call) =>
      answer?.(operation, call) ??
      (operation === 'ListMultipartUploads' ? errorAnswer(403, 'AccessDenied') : undefined);

    expect(await keys()).toEqual([]);
  });
});
