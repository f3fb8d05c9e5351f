// What is a matter of the bucket: versions, locks, lifecycle rules, access, and what it holds.
import { writeFileSync } from 'node:fs';
import { ListObjectsV2Command, ListObjectVersionsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { expect, expectSame, type Scenario } from '../scenario.js';
import type { Document, Place } from '../place.js';
import type { World } from '../world.js';

const finding = (document: Document, id: string): { readonly severity: string } | undefined =>
  (document['findings'] as readonly { check: string; severity: string }[]).find(({ check }) => check === id);

const LOCK = ['--object-lock', 'governance', '--retain', '2d'];

const bucketOf = (place: Place): string => new URL(place.url).hostname;

const analyze: Scenario = {
  name: 'analyze',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    const document = await place.json(['analyze', place.url]);
    expectSame(document['objects'], (await place.store.list()).length, 'objects');
    if (!world.can('unfinished') && !world.isFolder)
      expect(document['unfinishedHidden'] !== null, 'it does not say that unfinished uploads are hidden');
  },
};

const access: Scenario = {
  name: 'access-check',
  needs: 'access',
  run: async (world) => {
    const place = await world.place();
    const document = await place.json(['access-check', place.url]);
    expectSame(finding(document, 'bucket')?.severity, 'ok', 'bucket');
    expectSame(finding(document, 'acl')?.severity, 'ok', 'acl');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    if (world.isFolder) {
      await place.says(['access-check', place.url], 2, /is a folder, and only buckets/);
      return;
    }
    const document = await place.json(['access-check', place.url]);
    expectSame(finding(document, 'bucket')?.severity, 'ok', 'bucket');
    expectSame(finding(document, 'public-access-block')?.severity, 'unknown', 'public-access-block');
  },
};

const createOnce: Scenario = {
  name: 'creates a key only once',
  needs: 'createOnce',
  run: async (world) => {
    if (world.isFolder) return;
    const place = await world.place();
    const document = await place.json(['access-check', place.url]);
    expectSame(finding(document, 'create-once')?.severity, 'ok', 'create-once');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    const document = await place.json(['access-check', place.url]);
    expect(finding(document, 'create-once')?.severity !== 'ok', 'access-check says that it does');
  },
};

async function versionCount(world: World, place: Place): Promise<number> {
  const { pathname } = new URL(place.url);
  const where = { Bucket: bucketOf(place), Prefix: `${pathname.slice(1)}/` };
  const page = await world.client().send(new ListObjectVersionsCommand(where));
  return (page.Versions?.length ?? 0) + (page.DeleteMarkers?.length ?? 0);
}

const versions: Scenario = {
  name: 'versions of the bucket',
  needs: 'versions',
  run: async (world) => {
    const place = await world.place({});
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await world.client().send(new PutBucketVersioningCommand({ Bucket: bucketOf(place), VersioningConfiguration }));
    await place.sync();
    place.change();
    await place.sync();
    const which = ['--dataset-id', 'lab', '--keep-last', '1', '--instant', '--allow-mass-delete', '--yes'];
    await place.ok(['dataset', 'prune', place.url, ...which]);
    await place.expectVersion('latest', place.machine().source.now);
    await place.ok(['scuttle', place.url, '--force']);
    expectSame(await versionCount(world, place), 0, 'versions that scuttle left');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    if (world.isFolder) {
      await place.says(['fleet', 'lock-status', place.url], 2, /is a folder, and only buckets/);
      return;
    }
    const document = await place.json(['fleet', 'lock-status', place.url]);
    expect(finding(document, 'versioning')?.severity !== 'ok', 'lock-status says that it keeps versions');
  },
};

const locks: Scenario = {
  name: 'locks',
  needs: 'locks',
  run: async (world) => {
    const place = await world.place({ hasLock: true });
    await place.sync('alpha', LOCK);
    const document = await place.json(['fleet', 'lock-status', place.url]);
    expectSame(finding(document, 'versioning')?.severity, 'ok', 'versioning');
    await place.says(['scuttle', place.url, '--force'], 3, /lock|WORM/i);
    expect((await versionCount(world, place)) > 0, 'scuttle has deleted what was locked');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    const sentence = world.isFolder
      ? /nothing in a folder can be locked/
      : /has no Object Lock|does not lock|Object Lock/;
    await place.says(place.syncArgs('alpha', LOCK), world.isFolder ? 2 : 1, sentence);
  },
};

const RULES = { Rules: [{ ID: 'old-logs', Status: 'Enabled', Filter: { Prefix: 'logs/' }, Expiration: { Days: 30 } }] };

const lifecycle: Scenario = {
  name: 'lifecycle rules',
  needs: 'lifecycle',
  run: async (world) => {
    const place = await world.place({});
    const file = place.path('rules.json');
    writeFileSync(file, JSON.stringify(RULES));
    await place.ok(['lifecycle', '--bucket', place.url, '--import', file, '--yes']);
    const document = await place.json(['lifecycle', '--bucket', place.url]);
    expectSame((document['lifecycleRules'] as readonly unknown[]).length, 1, 'rules');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    const file = place.path('rules.json');
    writeFileSync(file, JSON.stringify(RULES));
    const sentence = world.isFolder
      ? /is a folder, and only buckets/
      : /does not support|does not take|has no lifecycle/;
    await place.says(['lifecycle', '--bucket', place.url, '--import', file, '--yes'], world.isFolder ? 2 : 1, sentence);
  },
};

const KEPT = 'asked just now, it keeps STANDARD alone';

const classes: Scenario = {
  name: 'storage class GLACIER',
  needs: 'coldRules',
  run: async (world) => {
    const place = await world.place();
    await place.ok(uploadCold(place));
    const where = { Bucket: bucketOf(place), Prefix: new URL(place.url).pathname.slice(1) };
    const { Contents = [] } = await world.client().send(new ListObjectsV2Command(where));
    expect(
      Contents.some(({ StorageClass }) => StorageClass === 'GLACIER'),
      'nothing is in GLACIER',
    );
  },
  withoutIt: async (world) => {
    const place = await world.place();
    if (world.isFolder) {
      await place.says(uploadCold(place), 2, /a folder has no storage classes/);
      return;
    }
    await place.says(
      uploadCold(place),
      1,
      /does not have storage class GLACIER .*; asked just now, it keeps STANDARD alone/,
    );
    const put = (await place.store.list()).filter(({ key }) => key.includes('uploads/'));
    expectSame(put, [], 'what was put all the same');
  },
};

const uploadCold = (place: Place): readonly string[] => {
  const { root } = place.machine().source;
  return ['upload', root, place.url, '--storage-class', 'GLACIER', '--yes', '--quiet'];
};

const template: Scenario = {
  name: 'lifecycle to cold classes',
  needs: 'coldRules',
  run: async (world) => {
    const place = await world.place({});
    place.machine().source.add('large.bin', place.noise(1_000_000));
    await place.sync();
    const which = ['lifecycle', '--bucket', place.url];
    await place.ok([...which, '--template', 'archive-optimization', '--yes']);
    await place.ok([...which, '--remove', '--yes']);
  },
  withoutIt: async (world) => {
    const place = world.isFolder ? await world.place() : await world.place({});
    place.machine().source.add('large.bin', place.noise(1_000_000));
    await place.sync();
    const args = ['lifecycle', '--bucket', place.url, '--template', 'archive-optimization', '--yes'];
    const ran = await place.ends(args, world.isFolder ? [2] : [1, 3]);
    const sentence = /only buckets|does not support|does not take|has no lifecycle|and keeps it as/;
    expect(sentence.test(ran.stderr), `it does not say why: ${ran.stderr}`);
    const isRefused = ran.stderr.includes('does not take transitions');
    expect(!isRefused || ran.stderr.includes(KEPT), `it does not say which classes there are: ${ran.stderr}`);
  },
};

export const BUCKET: readonly Scenario[] = [createOnce, analyze, access, versions, locks, lifecycle, template, classes];
