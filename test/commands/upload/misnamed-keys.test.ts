// A server that says its listings are URL-encoded and does not encode them (s3s-fs): `%20` in a key is then read as a space.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { type Answer, type Call, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

let s3: MemoryS3;
let folder = '';

/** The listing of a server that encodes nothing. */
function plainListing({ bucket, query }: Call): Answer {
  const objects = [...(s3.buckets.get(bucket) ?? [])].filter(([key]) => key.startsWith(query.get('prefix') ?? ''));
  const lines = objects.map(
    ([key, { body, modified }]) =>
      `<Contents><Key>${key}</Key><Size>${body.length}</Size><LastModified>${modified.toISOString()}</LastModified></Contents>`,
  );
  const head = '<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>';
  return { status: 200, body: `<ListBucketResult>${head}${lines.sort().join('')}</ListBucketResult>` };
}

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: program(), folder, env: { NO_COLOR: '1', AWS_ENDPOINT_URL: s3.endpoint } }, argv);

const upload = (name: string, ...flags: readonly string[]): Promise<CommandRun> => {
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data', name), 'content');
  return run('upload', 'data', 's3://bucket/p', ...flags);
};

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  s3 = await startMemoryS3('bucket');
  s3.rules.answer = (operation, call) => (operation === 'ListObjectsV2' ? plainListing(call) : undefined);
});
afterEach(() => s3.close());

describe('an object that the store lists under another key', () => {
  test.each([
    ['a%20b', 'a b'],
    ['a+b', 'a b'],
  ])('%s ends a direct upload at once, as a fault of the server, and other keys are offered', async (name, shown) => {
    const { status, stderr } = await upload(name, '--direct-upload');

    expect(status).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`has acknowledged .*/files/${name.replace('+', String.raw`\+`)} and lists it as .*/files/${shown}:`),
    );
    expect(stderr).toContain('the fault of a server');
    expect(stderr).toContain('add --hashed-keys');
    expect(stderr).toContain('leave out --direct-upload');
    expect(stderr).not.toContain('is sent again');
    expect(stderr).not.toContain('archiver resume');
    expect(
      s3.requests.filter(({ operation, path }) => operation === 'PutObject' && path.includes('/files/')),
    ).toHaveLength(1);
  });

  test('is named beside the key that it stands for, also where others of its size are there', async () => {
    mkdirSync(join(folder, 'data'));
    for (const name of ['a b', 'c+d']) writeFileSync(join(folder, 'data', name), 'content');

    const { stderr } = await upload('a%20b', '--direct-upload');

    expect(stderr).toMatch(/has acknowledged \S+\/files\/a%20b and lists it as \S+\/files\/a b:/);
  });

  test('is none with --hashed-keys, and the file comes back under its name', async () => {
    const { status } = await upload('a%20b', '--direct-upload', '--hashed-keys');
    const restored = await run('restore', 's3://bucket/p', 'out', '--all');
    const keys = [...(s3.buckets.get('bucket')?.keys() ?? [])].filter((key) => key.includes('/files/'));

    expect([status, restored.status, keys]).toEqual([
      0,
      0,
      [expect.stringMatching(/\/files\/\.hashed\/[0-9a-f]{64}-1$/)],
    ]);
    expect(readFileSync(join(folder, 'out', 'a%20b'), 'utf8')).toBe('content');
  });

  test('is none in a chunk', async () => {
    expect(await upload('a%20b')).toMatchObject({ status: 0 });
  });

  test('is none where the name cannot be read as encoded', async () => {
    expect(await upload('100% sure', '--direct-upload')).toMatchObject({ status: 0 });
  });
});
