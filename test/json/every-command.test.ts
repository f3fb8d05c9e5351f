// Every command that has --json answers once; run-command.ts holds what it prints against its JSON Schema.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { JSON_DOCUMENTS } from '../../src/json/documents.js';
import { yamlOf } from '../support/fleet-config.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { makeTar } from '../core/mend/migrate/make-tar.js';

type Path = keyof typeof JSON_DOCUMENTS;

/** Commands that want more than is here, with the test that has it and where they answer with --json. */
const ELSEWHERE: Partial<Record<Path, string>> = {
  'cost reconcile': 'test/commands/money/cost-reconcile.test.ts', // a bill
  'fleetagent scuttle': 'test/commands/fleet/fleetagent/scuttle.test.ts', // an IAM
  mount: 'test/e2e/serve.servers.test.ts', // FUSE
  'restore jobs download': 'test/commands/restore-jobs.test.ts', // cold chunks that are asked back
  resume: 'test/e2e/resume.test.ts', // an upload that was killed
  serve: 'test/commands/serve/serve.test.ts', // an end
};

const BUDGET: readonly (readonly [name: 'set' | 'status' | 'list' | 'remove', ...string[]])[] = [
  ['set', 'p', '--cost', '10', '--volume', '5'],
  ['status', 'p'],
  ['list'],
  ['remove', 'p'],
];

/** Calls that need no archive, one a line. */
const ALONE: readonly (readonly [Path, ...string[]])[] = [
  ['alerts configure', 'webhook', '--webhook-url', 'https://127.0.0.1:1/hook'],
  ['alerts config'],
  ['alerts disable', 'webhook'],
  ['alerts enable', 'webhook'],
  ['alerts test'],
  ['benchmark', '--size', '10KB'],
  ...BUDGET.map(([name, ...args]): readonly [Path, ...string[]] => [`budget ${name}`, ...args]),
  ...BUDGET.map(([name, ...args]): readonly [Path, ...string[]] => [`cost budget ${name}`, ...args]),
  ['completion', 'bash'],
  ['config', '--show'],
  ['context'],
  ['context list'],
  ['context switch', 'local'],
  ['context show'],
  ['context reset'],
  ['cost benchmark-compare', '--size-gb', '1', '--files', '10'],
  ['cost burnrate'],
  ['cost estimate', '--size', '1GB'],
  ['cost exhaustion', '--budget', '100'],
  ['cost forecast'],
  ['cost pricing'],
  ['create keys', '--no-passphrase', '--type', 'x25519', '-d', 'keys'],
  ['estimate', 'data'],
  ['fleetagent config-keygen', '--out', 'keys'],
  ['fleetagent iam-policy', 's3://bucket/lab', '--writer-id', 'w'],
  ['fleetagent init', 's3://bucket/lab', '--writer-id', 'w', '--public-key', 'keys/config-signing-public.pem'],
  ['fleetagent sign-config', 'web-01.yaml', '--key', 'keys/config-signing-private.pem'],
  ['fleetagent validate-config', 'web-01.yaml'],
  ['json-schema', 'upload'],
  ['lifecycle', '--list-templates'],
  ['metrics'],
  ['profile collect', '-o', 'profiles', '--', 'context'],
  ['profile list', '-d', 'profiles'],
  ['profile stats'],
  ['resume list'],
  ['resume clean'],
  ['restore jobs list'],
  ['restore jobs check'],
  ['restore jobs clean'],
  ['setup', '--non-interactive'],
];

/** Calls about the newest of two versions of the dataset `d` in `store`. */
const stored = (store: string, location: string): readonly (readonly [Path, ...string[]])[] => [
  ['balance', location],
  ['cost history'],
  ['cost project', 'd'],
  ['cost projects'],
  ['cost rebase', store],
  ['cost report'],
  ['cost summary'],
  ['cost upload', location],
  ['dashboard', '--once'],
  ['dataset diff', store, '--dataset-id', 'd', '--from', '1'],
  ['dataset list', store],
  ['dataset restore-version', store, '--dataset-id', 'd', '--version', '1'],
  ['dataset tag', store, 'keep', 'v1', '--dataset-id', 'd'],
  ['dataset versions', store, '--dataset-id', 'd'],
  ['metrics checks', store],
  ['download', location, 'downloaded'],
  ['dvc export', location, 'exported'],
  ['dvc stages', location],
  ['dvc status', 'data', location],
  ['find', '*.txt', store],
  ['history', 'a.txt', store, '--dataset-id', 'd'],
  ['info', location],
  ['list', location],
  ['repair', location],
  ['restore', location, 'restored', '--all'],
  ['verify', location],
  ['drill', store],
  ['dataset prune', store, '--dataset-id', 'd', '--keep-last', '1', '--dry-run'],
  ['copy', store, `${store}-copy`],
  ['create upload', 'data', store],
  ['fleetagent run', 'data', store, '--writer-id', 'w', '--once'],
  ['fleetagent adopt', store, '--writer-id', 'w'],
  ['fleet status', store],
  ['fleet monitor', store, '--once'],
  ['scuttle', store, '--dry-run'],
];

/** Calls about a bucket. */
const IN_BUCKET: readonly (readonly [Path, ...string[]])[] = [
  ['access-check', 's3://bucket/lab'],
  ['upload', 'data', 's3://bucket/lab'],
  ['analyze', 's3://bucket/lab'],
  ['fleet lock-status', 's3://bucket/lab'],
  ['fleet lock-extend', 's3://bucket/lab', '--until', '2030-01-01', '--dry-run'],
];

test('each command answers with a document that its schema allows, here or in the test that is named', async () => {
  useTestCredentials();
  const folder = await tempFolder();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  s3.lockable.add('bucket');
  mkdirSync(join(folder, 'data'));
  for (const name of ['a', 'b']) writeFileSync(join(folder, 'data', `${name}.txt`), name.repeat(2000));
  writeFileSync(join(folder, 'web-01.yaml'), yamlOf());
  writeFileSync(join(folder, 'a.tar'), makeTar({ path: 'a', content: 'hello' }));
  const failures: unknown[] = [];
  const answered = new Set<string>();
  const ask = async ([path, ...args]: readonly [Path, ...string[]]): Promise<Record<string, unknown>> => {
    const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: 'us-east-1' };
    const ran = await runCommand({ root: program(), folder, env }, [...path.split(' '), '--json', ...args]);
    const document = json(ran.stdout);
    if ('error' in document) failures.push([path, document['error']]);
    else answered.add(path);
    return document;
  };
  const store = `file://${join(folder, 'store')}`;
  const upload = ['data', store, '--dataset-id', 'd', '--project', 'd'];

  await ask(['upload', ...upload]);
  writeFileSync(join(folder, 'data', 'c.txt'), 'c');
  const { location } = await ask(['sync', ...upload]);
  await ask(['migrate', 'a.tar', store]);
  const { location: planned } = await ask(['plan', 'data', store]);
  await ask(['submit slurm', String(planned)]);
  await ask(['work', String(planned), '--part', '0']);
  await ask(['plan status', String(planned)]);
  await ask(['commit', String(planned)]);
  for (const call of [...stored(store, String(location)), ...ALONE, ...IN_BUCKET]) await ask(call);
  const inBucket = String((await ask(['plan', 'data', 's3://bucket/parts']))['location']);
  await ask(['submit kubernetes', inBucket, '--image', 'i']);
  await ask(['submit batch', inBucket, '--image', 'i', '--queue', 'q']);

  expect(failures).toEqual([]);
  const paths = Object.entries(JSON_DOCUMENTS).flatMap(([path, keys]) => (keys === '' ? [] : [path]));
  expect(paths.filter((path) => !answered.has(path))).toEqual(Object.keys(ELSEWHERE));
  expect(Object.values(ELSEWHERE).filter((file) => !existsSync(file))).toEqual([]);
});
