// Unattended writers, budgets that several machines share, and what it costs.
import { existsSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { expect, expectSame, type Scenario } from '../scenario.js';

const WRITER = 'nas-01';

const cycle: Scenario = {
  name: 'a cycle of a fleet agent',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    const document = await place.json(['fleetagent', 'run', source.root, place.url, '--writer-id', WRITER, '--once']);
    expectSame(document['isHealthy'], true, 'isHealthy');
    const status = await place.json(['fleet', 'status', place.url], { on: place.machine('beta') });
    expectSame(status['writerCount'], 1, 'writers');
    const [writer] = status['writers'] as readonly { writerId: string; lastSuccessAt: string | null }[];
    expect(
      writer?.writerId === WRITER && writer.lastSuccessAt !== null,
      'its heartbeat does not say that it went well',
    );
  },
};

const config: Scenario = {
  name: 'a signed config in the store',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    await place.ok(['fleetagent', 'config-keygen', '--out', place.path('keys')]);
    const file = place.path('config.yaml');
    const paths = [{ path: source.root }];
    writeFileSync(file, stringify({ version: 1, writer_id: WRITER, store: place.url, watch_paths: paths }));
    await place.ok(['fleetagent', 'sign-config', file, '--key', place.path('keys', 'config-signing-private.pem')]);
    expect(existsSync(`${file}.sig`), 'there is no signature');
    await place.putFile(`fleet/${WRITER}/config.yaml`, file);
    await place.putFile(`fleet/${WRITER}/config.yaml.sig`, `${file}.sig`);
    const key = ['--public-key', place.path('keys', 'config-signing-public.pem')];
    const run = ['fleetagent', 'run', '--config-url', place.url, ...key, '--writer-id', WRITER, '--once'];
    const document = await place.json(run);
    expectSame([document['configVersion'], document['isHealthy']], [1, true], 'version of the config, isHealthy');
  },
};

const GENOMES = 'genomes';

const budget: Scenario = {
  name: 'budgets in the store',
  needs: 'createOnce',
  run: async (world) => {
    const place = await world.place();
    const where = ['--budget-store', `${place.url}/budgets`];
    await place.ok(['budget', 'set', GENOMES, '--volume', '0.000001', ...where]);
    const upload = [...place.syncArgs(), '--project', GENOMES, ...where];
    await place.says(upload, 4, /budget/i);
    await place.ok([...upload, '--ignore-budget']);
    const status = await place.json(['budget', 'status', GENOMES, ...where], { on: place.machine('beta') });
    const { used } = status['volumeUsage'] as { used: number };
    expect(used > 0, 'the upload is not counted');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    const where = ['--budget-store', `${place.url}/budgets`];
    const set = ['budget', 'set', GENOMES, '--volume', '1', ...where];
    await place.says(set, 4, /not safe.*--exclusive/s);
    await place.ok([...set, ...place.exclusive]);
    await place.says([...place.syncArgs(), '--project', GENOMES, ...where], 4, /not safe.*nothing was sent/s);
    await place.ok([...place.syncArgs(), '--project', GENOMES, ...where, '--ignore-budget']);
  },
};

const costs: Scenario = {
  name: 'cost upload',
  run: async ({ day }) => {
    const { place, document } = await day.uploaded();
    const [, bucket = '', prefix = ''] = /^(.*)\/([^/]+)$/.exec(place.url) ?? [];
    const which = ['--bucket', bucket, '--prefix', prefix, '--upload-id', String(document['uploadId'])];
    const cost = await place.json(['cost', 'upload', ...which]);
    expectSame(cost['uploadId'], document['uploadId'], 'uploadId');
  },
};

const report: Scenario = {
  name: 'cost report',
  run: async ({ day }) => {
    const { place } = await day.uploaded();
    const document = await place.json(['cost', 'report', '--period', 'all']);
    expect(Number(document['uploadCount']) > 0, 'no upload is recorded');
  },
};

const dashboard: Scenario = {
  name: 'dashboard --once',
  run: async ({ day }) => {
    const { place } = await day.uploaded();
    for (const view of ['overview', 'inventory'])
      await place.ok(['dashboard', place.url, '--once', '--view', view, '--json']);
  },
};

export const FLEET_AND_MONEY: readonly Scenario[] = [cycle, config, budget, costs, report, dashboard];
