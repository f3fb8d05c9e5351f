// docs/fleet.md, followed literally: the commands of its blocks, in their order, on moto and on Ceph's gateway.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentAt } from '../support/follow-document.js';

describe.each([
  ['moto', process.env['ARCHIVER_TEST_MOTO']],
  ['Ceph', process.env['ARCHIVER_TEST_RGW']],
] as const)('docs/fleet.md on %s', (name, endpoint) => {
  const { bucket, client, at, here, blocks, block, follow, prepare, remove } = documentAt(
    'fleet.md',
    endpoint ?? '',
    () => [
      ['http://ceph.example.org:7480', endpoint ?? ''],
      ['region: eu-central-1', 'region: us-east-1'],
      // Neither server has the class or the key of the example.
      [/^ *(?:kms_key_id|storage_class): .*\n/gm, ''],
    ],
  );
  const keys = async (): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key);
  };

  beforeAll(async () => {
    if (endpoint === undefined) return;
    await prepare();
    for (const folder of ['srv/www', 'var/log/archive', 'var/lib/node_exporter/textfile', '.aws'])
      mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('srv/www/index.html'), 'hello');
    writeFileSync(
      at('.aws/credentials'),
      '[admin]\naws_access_key_id = archiver\naws_secret_access_key = archiver-secret\n',
    );
    writeFileSync(at('.aws/config'), '[profile admin]\nregion = us-east-1\n');
    writeFileSync(at('web-01.yaml'), here(blocks('yaml')[0] ?? ''));
  });
  afterAll(remove);

  it.skipIf(endpoint === undefined)('configs are made, checked, signed and put', async () => {
    expect(await follow(block('config-keygen --out keys\n'))).toMatchObject({ status: 0 });
    expect(await follow(block('--baseline deployed.yaml'))).toMatchObject({ status: 0 });
    expect(await keys()).toEqual(['lab/fleet/web-01/config.yaml', 'lab/fleet/web-01/config.yaml.sig']);
  });

  it.skipIf(endpoint === undefined)('the agent runs in its three forms, and is seen by the monitor', async () => {
    expect(await follow(block('fleetagent run /srv/www'))).toMatchObject({ status: 0 });
    expect(await keys()).toContainEqual(expect.stringMatching(/^lab\/writers\/web-01\/config-v00000012\./));

    const seen = await follow(block('fleet monitor s3://acme-archive/lab --textfile'));

    expect(seen).toMatchObject({ status: 0 });
    expect(readFileSync(at('var/lib/node_exporter/textfile/fleet.prom'), 'utf8')).toContain('archiver_fleet_up');
  });

  it.skipIf(endpoint === undefined)(
    'the key is changed by its four steps, and the old one is of no use then',
    async () => {
      const agent = `archiver fleetagent run --config-url s3://acme-archive/lab --writer-id web-01 --once --json --quiet --public-key`;
      const used = async (file: string): Promise<object> => {
        const { said } = await follow(`${agent} ${file} 2>/dev/null`);
        const { configVersion, troubles } = JSON.parse(said) as { configVersion: number; troubles: readonly string[] };
        return { configVersion, troubles };
      };
      const raise = (version: number): void => {
        const config = readFileSync(at('web-01.yaml'), 'utf8').replace(/^version: \d+/m, `version: ${version}`);
        writeFileSync(at('web-01.yaml'), config);
      };
      const publish = (key: string): string =>
        `archiver fleetagent sign-config web-01.yaml --key ${key}/config-signing-private.pem
${block('--key keys/config-signing-private.pem --key').split('\n').slice(2).join('\n')}`;
      const old = 'keys/config-signing-public.pem';
      // 1 and 2: machines still have the old key.
      expect(await follow(block('config-keygen --out keys-2'))).toMatchObject({ status: 0 });
      raise(13);
      expect(await follow(block('--key keys/config-signing-private.pem --key'))).toMatchObject({ status: 0 });
      expect(await used(old)).toEqual({ configVersion: 13, troubles: [] });
      // 3: both keys; who has stolen the old one signs a higher version.
      expect(await used('trusted.pem')).toEqual({ configVersion: 13, troubles: [] });
      raise(14);
      expect(await follow(publish('keys'))).toMatchObject({ status: 0 });
      expect(await used('trusted.pem')).toMatchObject({
        configVersion: 13,
        troubles: [expect.stringContaining('which is newer')],
      });
      // 4: the new key alone.
      expect(await used('keys-2/config-signing-public.pem')).toMatchObject({
        configVersion: 13,
        troubles: [expect.stringContaining('is the one that is trusted')],
      });
      expect(await follow(publish('keys-2'))).toMatchObject({ status: 0 });
      expect(await used('keys-2/config-signing-public.pem')).toEqual({ configVersion: 14, troubles: [] });
      // A machine that remembers nothing, and an old config with its signature.
      rmSync(at('.archiver'), { recursive: true });
      raise(13);
      expect(await follow(publish('keys-2'))).toMatchObject({ status: 0 });
      expect(await used('keys-2/config-signing-public.pem')).toMatchObject({
        configVersion: null,
        troubles: [expect.stringContaining('version 13, and 14 was in use already')],
      });
    },
  );

  it.skipIf(endpoint === undefined || name === 'Ceph')(
    'a bundle is made with an identity, which is taken down',
    async () => {
      expect(await follow(block('--writer-id nas-01 --public-key'))).toMatchObject({ status: 0 });
      const credentials = readFileSync(at('nas-01/credentials'), 'utf8');
      expect(await follow(block('--replaces nas-01'))).toMatchObject({ status: 0 });
      expect(readFileSync(at('nas-01-new/credentials'), 'utf8')).not.toBe(credentials);
      expect(await follow(block('scuttle nas-01'))).toMatchObject({ status: 0 });
    },
  );

  it.skipIf(endpoint === undefined)(
    'where there is no IAM of AWS, the data is deleted and the rest is said',
    async () => {
      const ran = await follow(block('scuttle nas-02').replaceAll('nas-02', 'web-01'));

      expect(ran).toMatchObject({ status: 0, said: expect.stringContaining('radosgw-admin user suspend') });
      expect(await keys()).toEqual([]);
    },
  );
});
