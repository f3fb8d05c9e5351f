// What the unit of a bundle starts, with its variables: a signed config says how often, the settings of the machine say whom to tell.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { signConfig } from '../../../../src/core/fleet/config/signature.js';
import { parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import { startHook } from '../../../support/hook-server.js';
import { runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

test('runs as often as the signed config says, with the hooks and pings of its machine', async () => {
  const server = await startHook();
  const home = realpathSync(await tempFolder());
  const host = { root: program(), folder: home };
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(home, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const init = ['fleetagent', 'init', 's3://acme/lab', '--writer-id', 'nas', '--public-key', 'key.pub'];
  expect((await runCommand(host, init)).status).toBe(0);
  const bundle = join(home, 'nas');

  // The machine: what the README installs, and a store that is a folder.
  const base = join(home, 'store');
  const source = join(home, 'data');
  mkdirSync(source);
  writeFileSync(join(source, 'a'), 'content');
  mkdirSync(join(base, 'fleet/nas'), { recursive: true });
  const config = `version: 1\nwriter_id: nas\nscan_interval: 6h\nwatch_paths:\n  - path: ${source}\n`;
  writeFileSync(join(base, 'fleet/nas/config.yaml'), config);
  writeFileSync(join(base, 'fleet/nas/config.yaml.sig'), signConfig(Buffer.from(config), privateKey).bytes);
  const settings = [
    'hooks:',
    `  after: ["/bin/sh", "-c", "echo $ARCHIVER_HOOK_STATUS > ${home}/after"]`,
    `fleetagent:\n  run:\n    pingUrl: ${server.url}/uuid`,
  ];
  writeFileSync(join(bundle, 'archiver.yaml'), `${settings.join('\n')}\n`);
  const unit = readFileSync(join(bundle, 'archiver-nas.service'), 'utf8')
    .replaceAll('/etc/archiver/nas', bundle)
    .replaceAll('%S/archiver-nas', join(home, 'state'))
    .replaceAll('s3://acme/lab', `file://${base}`)
    .replace(' --region us-west-2', '');
  const env = Object.fromEntries(
    [...unit.matchAll(/^Environment=(ARCHIVER_\w+)=(.*)$/gm)].map((found) => found.slice(1)),
  );
  const [, words = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];

  const end = new AbortController();
  const running = runCommand({ ...host, env, signal: end.signal }, words.split(' '));
  const status = () => parseHeartbeat(readFileSync(join(base, 'writers/nas/status.json')));
  await expect
    .poll(() => server.requests.map(({ path }) => path), { timeout: 20_000 })
    .toEqual(['/uuid/start', '/uuid']);
  await expect.poll(() => status().phase, { timeout: 20_000 }).toBe('waiting');
  end.abort();

  expect((await running).status).toBe(0);
  expect(status()).toMatchObject({ intervalSeconds: 6 * 3600, configVersion: 1, sources: [{ isHealthy: true }] });
  expect(readFileSync(join(home, 'after'), 'utf8')).toBe('done\n');
});
