// `access-check --try`: what a key keeps to is seen of objects that it puts itself, and no other is touched.
import { beforeEach, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { type Answer, type Call, errorAnswer } from '../../support/memory-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly consequence: string;
}

interface Tried {
  readonly rows: Readonly<Record<string, Row>>;
  readonly states: Readonly<Record<string, string>>;
  readonly left: readonly { readonly key: string; readonly reason: string }[];
}

const s3 = useBrokenS3();
const SCRATCH =
  /^p\/(?:writers\/(?:nas|archiver-try-[0-9a-f]{16})\/)?uploads\/\d{8}-\d{6}-[0-9a-f]{8}\/create-once-[0-9a-f]{16}$/;
const DENIED = errorAnswer(403, 'AccessDenied');

beforeEach(() => {
  delete s3.server.rules.answer;
  s3.server.conditions.ifNoneMatch = 'kept';
  s3.server.requests.length = 0;
});

const run = async (...argv: readonly string[]) =>
  await runCommand(
    { root: program(), folder: await tempFolder(), env: { NO_COLOR: '1', LANG: 'C.UTF-8' }, columns: 80 },
    ['access-check', 's3://bucket/p', '--endpoint-url', s3.proxy.endpoint, ...argv],
  );

async function tried(...argv: readonly string[]): Promise<Tried> {
  const { status, stdout, stderr } = await run('--try', '--json', ...argv);
  if (status !== 0) throw new Error(stderr);
  const { promises, leftObjects } = json(stdout) as { promises: readonly Row[]; leftObjects: Tried['left'] };
  return {
    rows: Object.fromEntries(promises.map((row) => [row.name, row])),
    states: Object.fromEntries(promises.map(({ name, state }) => [name, state])),
    left: leftObjects,
  };
}

/** Full keys that are there. */
const stored = (): readonly string[] => [...(s3.server.buckets.get('bucket')?.keys() ?? [])];

/** A server with a policy: what `isAllowed` does not take is refused. `keys` are full, of a listing its prefix. */
function allow(isAllowed: (operation: string, key: string, call: Call) => boolean): void {
  s3.server.rules.answer = (operation, call): Answer | undefined => {
    if (operation === 'DeleteObjects') {
      const [, key = ''] = /<Key>([^<]*)<\/Key>/.exec(call.body.toString()) ?? [];
      if (isAllowed(operation, key, call)) return undefined;
      const body = `<DeleteResult><Error><Key>${key}</Key><Code>AccessDenied</Code></Error></DeleteResult>`;
      return { status: 200, headers: { 'content-type': 'application/xml' }, body };
    }
    const key = operation.startsWith('List') ? (call.query.get('prefix') ?? '') : call.key;
    return isAllowed(operation, key, call) ? undefined : DENIED;
  };
}

/** As the policies of `fleetagent init` do on AWS. */
const asWriter = (operation: string, key: string, { headers }: Call): boolean => {
  if (!key.startsWith('p/writers/nas/')) return false;
  if (operation === 'PutObject') return headers['if-none-match'] !== undefined || key.endsWith('/create-once.json');
  return operation === 'ListObjectsV2';
};

test('a key that may do everything keeps to nothing, and leaves nothing', async () => {
  const { states, rows, left } = await tried();

  expect(states).toEqual({
    stores: 'holds',
    lists: 'holds',
    'reads-nothing': 'broken',
    'creates-once': 'holds',
    'overwrites-nothing': 'broken',
    'deletes-nothing': 'broken',
    'versions-kept': 'broken',
    'versions-not-deleted': 'unknown',
    locked: 'broken',
  });
  expect(rows['versions-kept']?.consequence).toContain('turn versioning of the bucket on');
  expect([left, stored()]).toEqual([[], ['p/create-once.json']]);
});

test('a writer under the policies of AWS keeps to all that can be tried, and what stays is named', async () => {
  allow(asWriter);

  const { states, rows, left } = await tried('--writer-id', 'nas');

  expect(states).toEqual({
    stores: 'holds',
    lists: 'holds',
    'reads-nothing': 'holds',
    'creates-once': 'holds',
    'overwrites-nothing': 'holds',
    'deletes-nothing': 'holds',
    'versions-kept': 'broken',
    'versions-not-deleted': 'unknown',
    locked: 'unknown',
    'others-not-listed': 'holds',
    'others-not-read': 'unknown',
    'others-not-written': 'holds',
    'others-not-deleted': 'holds',
  });
  expect(rows['locked']?.detail).toBe('not asked: the credentials need s3:GetBucketObjectLockConfiguration');
  expect(left).toEqual([
    {
      key: expect.stringMatching(/^writers\/nas\/uploads\//) as string,
      reason: expect.stringContaining('needs s3:DeleteObject') as string,
    },
  ]);
  expect(stored()).toContain(`p/${left[0]?.key}`);
});

test('what others have stored is neither written, read nor deleted, and a key that reaches it is named', async () => {
  s3.put('writers/other/uploads/chunk', 'of others');

  const { states, left } = await tried('--writer-id', 'nas');

  const others = Object.entries(states).filter(([name]) => name.startsWith('others-'));
  expect(others.map(([, state]) => state)).toEqual(['broken', 'broken', 'broken', 'broken']);
  expect([left, stored()]).toEqual([[], ['p/writers/other/uploads/chunk', 'p/writers/nas/create-once.json']]);
  const touched = s3.server.requests
    .filter(({ operation }) => /^(?:Put|Get|Delete|Head)Object$/.test(operation))
    .map(({ path }) => decodeURIComponent(path.split('?')[0] ?? '').slice('/bucket/'.length))
    .filter((key) => !key.endsWith('/create-once.json'));
  expect(touched.filter((key) => !SCRATCH.test(key))).toEqual([]);
  const puts = s3.server.requests.filter(
    ({ operation, path }) => operation === 'PutObject' && path.includes('/archiver-try-'),
  );
  expect(puts.map(({ headers }) => headers['if-none-match'])).toEqual(['*']);
});

test('where versions are kept they are seen in a listing, and all of them are deleted again', async () => {
  s3.server.keepVersions('bucket');

  const { states, rows, left } = await tried();

  expect(states).toMatchObject({ 'versions-kept': 'holds', 'versions-not-deleted': 'broken' });
  expect(rows['overwrites-nothing']?.consequence).toContain('What was there stays as an earlier version');
  expect(left).toEqual([]);
  const listed = await (await fetch(`${s3.server.endpoint}/bucket?versions&prefix=p/uploads/`)).text();
  // What the other questions have put stays as versions, as docs/access.md says; of the trial's own key nothing does.
  const [own = ''] = s3.server.requests
    .flatMap(({ operation, path }) =>
      operation === 'GetObject' ? [decodeURIComponent(path.split('?')[0] ?? '').slice('/bucket/'.length)] : [],
    )
    .filter((key) => SCRATCH.test(key))
    .slice(-1);
  expect(own).toMatch(SCRATCH);
  expect(listed).not.toContain(own);
});

test.each([
  ['says that they were never turned on', { status: 200, body: '<VersioningConfiguration/>' }],
  ['does not let the key ask', DENIED],
])('a server that names versions and knows no listing of them, as Garage, keeps none: it %s', async (_, versioning) => {
  s3.server.keepVersions('bucket');
  s3.server.rules.answer = (operation) => {
    if (operation === 'GetBucketVersioning') return versioning;
    return operation === 'ListObjectVersions' ? errorAnswer(501, 'NotImplemented') : undefined;
  };

  const { rows, left } = await tried();

  expect(rows['versions-kept']).toMatchObject({ state: 'broken' });
  expect(rows['overwrites-nothing']?.consequence).toContain('keeps no versions');
  expect(left).toEqual([]);
});

test('a key that stores nothing is tried no further in its own place', async () => {
  allow((operation) => operation !== 'PutObject');

  const { states, left } = await tried('--writer-id', 'nas');

  expect(states).toMatchObject({ stores: 'broken', lists: 'unknown', 'deletes-nothing': 'unknown' });
  expect(states).toMatchObject({
    'others-not-listed': 'broken',
    'others-not-read': 'broken',
    'others-not-written': 'holds',
  });
  expect(left).toEqual([]);
});

test('a failure is no refusal', async () => {
  s3.server.rules.answer = (operation) =>
    operation === 'GetObject' || operation === 'DeleteObjects' ? errorAnswer(400, 'Odd', 'an odd answer') : undefined;

  const { states, rows, left } = await tried();

  expect(states).toMatchObject({ 'reads-nothing': 'unknown', 'deletes-nothing': 'unknown' });
  expect(rows['deletes-nothing']?.detail).toContain('not answered');
  expect(left).toHaveLength(1);
});

test('a server that does not know If-None-Match is told apart from one that keeps it', async () => {
  s3.server.conditions.ifNoneMatch = 'unknown';

  expect((await tried()).rows['creates-once']).toMatchObject({
    state: 'broken',
    detail: 'the store does not know If-None-Match',
  });
});

test('the table stands below that of the store, in lines of 80 columns, and a writer needs --try', async () => {
  allow(asWriter);
  const { stdout } = await run('--try', '--writer-id', 'nas');
  const table = stdout.slice(stdout.indexOf('What this key keeps to:'));

  expect(table).toMatch(/^ {2}✓ deletes-nothing +a DELETE of its own object is refused$/m);
  expect(table).toMatch(/^ {2}– locked +not asked: /m);
  expect(table).toMatch(/^stays: writers\/nas\/uploads\//m);
  expect(table.split('\n').filter((line) => line.length > 80 && !line.startsWith('stays: '))).toEqual([]);
  expect(await run('--writer-id', 'nas')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--writer-id needs --try') as string,
  });
});
