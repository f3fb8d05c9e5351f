import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextPath, readContext, removeContext, writeContext } from '../../../src/core/context/context-file.js';
import { rememberStore } from '../../../src/core/context/remember-store.js';
import { tempFolder } from '../../support/temp-folder.js';

const fileIn = async (): Promise<string> => contextPath(await tempFolder());

test('is read as it was written, and only its owner can read it', async () => {
  const file = await fileIn();
  const saved = { context: 'repl', stores: [{ url: 's3://bucket', region: 'eu-central-1' }] } as const;

  await writeContext(file, saved);

  expect(await readContext(file)).toEqual(saved);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('where there is none, nothing is said and nothing is removed', async () => {
  const file = await fileIn();

  expect(await readContext(file)).toBeUndefined();
  expect(await removeContext(file)).toBe(false);
});

test.each<[string, (text: string) => string, string, RegExp]>([
  ['empty', () => '', 'integrity', /is damaged: it is not a JSON document/],
  ['cut', (text) => text.slice(0, 60), 'integrity', /is damaged/],
  ['edited', (text) => text.replace('local', 'repl'), 'integrity', /does not match its checksum/],
  ['another document', () => '{"context":"repl"}', 'integrity', /is not a context file of archiver/],
  ['newer', (text) => text.replace('"format":1', '"format":2'), 'unsupported', /has format 2/],
])('a file that is %s is refused with a sentence', async (_name, bend, code, message) => {
  const file = await fileIn();
  await writeContext(file, { context: 'local', stores: [] });
  writeFileSync(file, bend(readFileSync(file, 'utf8')));

  await expect(readContext(file)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(await removeContext(file)).toBe(true);
});

test('remembers the last ten stores, each once, the last one first', async () => {
  const file = await fileIn();
  await writeContext(file, { context: 'repl', stores: [] });

  for (let number = 0; number < 12; number++) await rememberStore(file, { url: `s3://bucket-${number}` });
  await rememberStore(file, { url: 's3://bucket-5', region: 'eu-west-1' });

  const saved = await readContext(file);
  expect(saved?.context).toBe('repl');
  expect(saved?.stores.map(({ url }) => url.slice('s3://bucket-'.length))).toEqual(
    [5, 11, 10, 9, 8, 7, 6, 4, 3, 2].map(String),
  );
  expect(saved?.stores[0]?.region).toBe('eu-west-1');
});

test('the name and password of a server are not remembered', async () => {
  const file = await fileIn();

  expect(await rememberStore(file, { url: 's3://b', endpointUrl: 'http://me:secret@localhost:9000/' })).toBeUndefined();

  expect(readFileSync(file, 'utf8')).not.toContain('secret');
  expect((await readContext(file))?.stores[0]?.endpointUrl).toBe('http://localhost:9000/');
});

test('what cannot be remembered is told, and does not fail', async () => {
  const file = await fileIn();
  mkdirSync(join(file, 'folder'), { recursive: true });

  expect(await rememberStore(file, { url: 's3://bucket' })).toMatch(/^the store is not remembered: /);
});
