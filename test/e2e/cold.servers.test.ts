// The built program and slow thaws, on moto: its objects come back when they were looked at as often as it is told.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, makeFolder, type Ran, uploadJson } from './upload-cli.js';

const BUCKET = 'slow-thaws';
const LOOKS = 6;

describe('cold storage on moto', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-thaw-'));
  const source = makeFolder(work, 'source');
  const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
  };
  const restore = async (...args: readonly string[]): Promise<Ran & { readonly document: Record<string, unknown> }> => {
    const ran = await archiver(work, ['restore', ...args, '--json', '--quiet'], { env });
    return { ...ran, document: JSON.parse(ran.stdout) as Record<string, unknown> };
  };
  const setTransition = (transition: object): Promise<Response> =>
    fetch(`${endpoint}/moto-api/state-manager/set-transition`, {
      method: 'POST',
      body: JSON.stringify({ model_name: 's3::keyrestore', transition }),
    });
  let location = '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    await setTransition({ progression: 'manual', times: LOOKS });
    for (let i = 0; i < 12; i++) writeFileSync(join(source, `file-${i}`), `${i}`.repeat(5000));
    const { document } = await uploadJson(work, [source, `s3://${BUCKET}`, '--storage-class', 'GLACIER'], { env });
    location = document.location;
  });

  afterAll(async () => {
    await setTransition({ progression: 'immediate' });
    rmSync(work, { recursive: true, force: true });
  });

  it('asks once, tells that it is on its way, and restores directly when it is back', async () => {
    const out = join(work, 'out');

    const first = await restore(location, out, '--all');
    expect(first.document).toMatchObject({ status: 'pending', costUsd: null });
    const second = await restore(location, out, '--all');
    expect(second.document).toMatchObject({ status: 'pending', readyBy: null });
    expect(second.document['requests']).toMatchObject({ other: 0, put: 0 });

    let last = second;
    for (let run = 0; run < LOOKS && last.document['status'] === 'pending'; run++)
      last = await restore(location, out, '--all');
    expect(last.document).toMatchObject({ status: 'completed', files: 12, failed: [] });
    expect(readdirSync(out)).toHaveLength(12);
  });

  it('waits with --wait until everything is back', async () => {
    const { document } = await uploadJson(work, [source, `s3://${BUCKET}/two`, '--storage-class', 'DEEP_ARCHIVE'], {
      env,
    });
    const out = join(work, 'waited');

    const { status, document: restored } = await restore(
      document.location,
      out,
      '--all',
      '--wait',
      '--poll-interval',
      '1s',
    );

    expect(status).toBe(0);
    expect(restored).toMatchObject({ status: 'completed', files: 12 });
    expect(readdirSync(out)).toHaveLength(12);
  });
});
