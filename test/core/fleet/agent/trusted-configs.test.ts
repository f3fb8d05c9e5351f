// What an agent takes for the operator's word when keys change, and when it remembers nothing.
import { createPrivateKey } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { ListPage, WholeStore } from '../../../../src/core/store/object-store.js';
import { readSidecar, signConfig } from '../../../../src/core/fleet/config/signature.js';
import { marksOf } from '../../../../src/core/fleet/config/used-versions.js';
import { agentWorld, FOREIGN_KEY, newPair, WRITER, yamlOf } from './agent-world.js';

/** What the machine remembers is gone. */
const forget = ({ home }: Awaited<ReturnType<typeof agentWorld>>): void => rmSync(home, { recursive: true });

describe('an agent that remembers nothing', () => {
  test('takes no config that is older than one that this writer has used', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(12, ['/data']));
    await world.run(1);
    forget(world);
    world.publish(yamlOf(11, ['/data', '/etc']));

    const [refused] = await world.run(1);
    world.publish(yamlOf(12, ['/data']));
    const [taken] = await world.run(1);

    expect(refused?.heartbeat).toMatchObject({
      configVersion: null,
      configError: 'the config has version 11, and 12 was in use already',
    });
    expect(taken?.heartbeat).toMatchObject({ configVersion: 12, configError: null });
  });

  test('takes one where it may not list, and none where the store does not answer', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(12, ['/data']));
    await world.run(1);
    forget(world);
    world.publish(yamlOf(11, ['/data']));
    const failing = (code: 'access-denied' | 'store') => (store: WholeStore) => ({
      ...store,
      list: (): AsyncIterable<ListPage> => {
        throw new ArchiverError(code, 'no');
      },
    });
    world.wrap = failing('store');
    const [unknown] = await world.run(1);
    world.wrap = failing('access-denied');
    const [blind] = await world.run(1);

    expect(unknown?.heartbeat).toMatchObject({ configVersion: null, configError: 'no' });
    expect(blind?.heartbeat).toMatchObject({ configVersion: 11, configError: null });
  });
});

describe('versions that others have noted in the store', () => {
  /** What somebody with the key of the writer puts beside its heartbeat. */
  const forge = ({ base }: Awaited<ReturnType<typeof agentWorld>>, name: string): void =>
    writeFileSync(join(base, 'writers', WRITER, name), '');
  const signatureBy = (privateKey: string, version: number): string => {
    const config = Buffer.from(yamlOf(version, ['/data']));
    const [mark = ''] = marksOf(
      { writerId: WRITER, version },
      readSidecar(signConfig(config, createPrivateKey(privateKey)).bytes),
    );
    return mark.slice(`writers/${WRITER}/`.length);
  };
  const started = async () => {
    const world = await agentWorld();
    world.publish(yamlOf(12, ['/data']));
    await world.run(1);
    forget(world);
    return world;
  };

  test('keep a machine that remembers nothing from no config, and are named', async () => {
    const world = await started();
    const real = signatureBy(world.keys.privateKey, 13);
    forge(world, 'config-v99999999');
    forge(world, real.replace('config-v00000013', 'config-v99999998'));
    forge(world, signatureBy(FOREIGN_KEY, 99999997));

    const [cycle] = await world.run(1);

    expect(cycle?.heartbeat).toMatchObject({
      configVersion: 12,
      configError: null,
      findings: [{ kind: 'version-forged', source: null }],
    });
    expect(cycle?.heartbeat.findings?.[0]?.detail).toContain(
      `writers/${WRITER}/config-v99999999 says that version 99999999`,
    );
    forget(world);
    world.publish(yamlOf(11, ['/data']));
    expect((await world.run(1))[0]?.heartbeat.configError).toBe('the config has version 11, and 12 was in use already');
  });

  test('count by the key that has signed them: not by one that the next has replaced', async () => {
    const world = await started();
    const next = newPair();
    world.trusted = world.keys.publicKey + next.publicKey;
    world.publish(yamlOf(13, ['/data']), { key: [world.keys.privateKey, next.privateKey] });
    forge(world, signatureBy(world.keys.privateKey, 99999999)); // with the stolen old key

    const [byBoth] = await world.run(1);
    forget(world);
    world.publish(yamlOf(100000000, ['/data', '/etc']));
    const [byOld] = await world.run(1);

    expect(byBoth?.heartbeat).toMatchObject({ configVersion: 13, configError: null });
    expect(byOld?.heartbeat).toMatchObject({
      configVersion: null,
      configError: expect.stringMatching(/signed with the key \S+, and version 13 with a newer one/) as string,
    });
  });

  test('of a config that an earlier archiver has signed are not noted, which is told', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(12, ['/data']));
    const file = join(world.base, 'fleet', WRITER, 'config.yaml.sig');
    const { versionSignature: _, ...earlier } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(earlier));
    const [cycle] = await world.run(1);
    expect(cycle?.heartbeat).toMatchObject({ configVersion: 12, configError: null });
    expect(world.troubles).toEqual([expect.stringContaining('which did not sign its version')]);
  });

  test('have to be what the key has signed', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(12, ['/data']));
    const file = join(world.base, 'fleet', WRITER, 'config.yaml.sig');
    const sidecar = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...sidecar, versionSignature: sidecar['signature'] }));
    const [cycle] = await world.run(1);
    expect(cycle?.heartbeat.configError).toContain('version 12 is not what was signed with the key sha256:');
  });
});

describe('keys change', () => {
  test('a config by both keys is followed by one of the new key, and the old one is no good any more', async () => {
    const world = await agentWorld();
    const next = newPair();
    const [old, both] = [world.keys, [world.keys.privateKey, next.privateKey]];
    world.publish(yamlOf(1, ['/data']));
    await world.run(1);
    world.trusted = old.publicKey + next.publicKey;
    world.publish(yamlOf(2, ['/data']), { key: both });
    const [byBoth] = await world.run(1);
    world.publish(yamlOf(3, ['/data']), { key: [old.privateKey] }); // stolen
    const [byOld] = await world.run(1);
    world.trusted = next.publicKey;
    world.publish(yamlOf(3, ['/data']), { key: [next.privateKey] });
    const [byNew] = await world.run(1);
    world.publish(yamlOf(4, ['/data']), { key: [old.privateKey] });
    const [byGone] = await world.run(1);

    expect(byBoth?.heartbeat).toMatchObject({ configVersion: 2, configError: null });
    expect(byOld?.heartbeat).toMatchObject({
      configVersion: 2,
      configError: expect.stringMatching(
        /signed with the key \S+, and the one in use with \S+, which is newer/,
      ) as string,
    });
    expect(byNew?.heartbeat).toMatchObject({ configVersion: 3, configError: null });
    expect(byGone?.heartbeat).toMatchObject({
      configVersion: 3,
      configError: expect.stringContaining('is the one that is trusted') as string,
    });
    expect(world.troubles).toEqual([]);
  });

  test('the same config, signed once more by the new key as well, is kept as such', async () => {
    const world = await agentWorld();
    const next = newPair();
    world.publish(yamlOf(1, ['/data']));
    await world.run(1);
    world.trusted = world.keys.publicKey + next.publicKey;
    world.publish(yamlOf(1, ['/data']), { key: [world.keys.privateKey, next.privateKey] });
    await world.run(1);
    world.trusted = next.publicKey;
    rmSync(join(world.base, 'fleet'), { recursive: true });

    const [cycle] = await world.run(1);

    expect(cycle?.heartbeat).toMatchObject({ configVersion: 1, sources: [{ path: '/data' }] });
  });
});
