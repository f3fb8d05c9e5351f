import { expect, test } from 'vitest';
import { configPlaces } from '../../../src/core/config/config-places.js';
import { loadConfig } from '../../../src/core/config/load-config.js';
import type { ConfigSchema } from '../../../src/core/config/config-schema.js';

const places = (env: Record<string, string>) => configPlaces({ env, userHome: '/home/me', cwd: '/data' });
const schema: ConfigSchema = { keys: new Map(), sections: new Set(['']), named: new Map(), suggest: () => undefined };

test('home first, then the config folder, then the current folder', () => {
  expect(places({})).toEqual({
    paths: ['/home/me/.archiver.yaml', '/home/me/.config/archiver/.archiver.yaml', '/data/.archiver.yaml'],
    isNamed: false,
  });
});

test('an absolute XDG_CONFIG_HOME comes before ~/.config, a relative one is ignored', () => {
  expect(places({ XDG_CONFIG_HOME: '/xdg' }).paths[1]).toBe('/xdg/archiver/.archiver.yaml');
  expect(places({ XDG_CONFIG_HOME: 'xdg' }).paths).toHaveLength(3);
});

test('ARCHIVER_CONFIG replaces the search', () => {
  expect(places({ ARCHIVER_CONFIG: 'my.yaml' })).toEqual({ paths: ['/data/my.yaml'], isNamed: true });
});

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test('the first file that exists is the one', async () => {
  const asked: string[] = [];
  const file = await loadConfig(
    { env: {}, userHome: '/home/me', cwd: '/data' },
    () => schema,
    (path) => {
      asked.push(path);
      return path.includes('.config') ? Promise.resolve(Buffer.alloc(0)) : failing('ENOENT')();
    },
  );

  expect(file?.path).toBe('/home/me/.config/archiver/.archiver.yaml');
  expect(asked).toHaveLength(2);
});

test('a file that may not be read is a failure and not "no file"', async () => {
  const load = loadConfig({ env: {}, userHome: '/home/me', cwd: '/data' }, () => schema, failing('EACCES'));

  await expect(load).rejects.toThrow(
    'the config file /home/me/.archiver.yaml cannot be read: no permission to read it',
  );
});

test('no file at all is fine', async () => {
  expect(await loadConfig({ env: {}, userHome: '/h', cwd: '/w' }, () => schema, failing('ENOENT'))).toBeUndefined();
});

test('a huge file is refused before it is parsed', async () => {
  const file = await loadConfig(
    { env: {}, userHome: '/h', cwd: '/w' },
    () => schema,
    () => Promise.resolve(Buffer.alloc(2_000_000, '#')),
  );

  expect(file?.problems).toEqual([{ line: 1, key: '', message: 'the file is larger than 1 MiB' }]);
});
