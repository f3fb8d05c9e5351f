// Documents for Kubernetes and AWS Batch against what these publish: the schemas of the API server, and the service model that every AWS SDK
// is made from.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchScript } from '../../../src/core/clusters/batch.js';
import type { BatchJob } from '../../../src/core/clusters/batch.js';
import { kubernetesYaml } from '../../../src/core/clusters/kubernetes.js';
import { type Venv, venv } from '../../servers/venv.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { tempFolder } from '../../support/temp-folder.js';

const INSTALL_MS = 900_000;
const VERSIONS = ['1.33', '1.37'] as const;
const CHECK = `import json, sys
def kubernetes(text):
    import yaml, kubernetes_validate
    documents = list(yaml.safe_load_all(text))
    for document in documents:
        kubernetes_validate.validate(document, sys.argv[2], strict=True)
    return len(documents)
def batch(text):
    import botocore.session, botocore.validate
    call = json.loads(text)
    operation = botocore.session.get_session().get_service_model('batch').operation_model(call['operation'])
    shape = operation.input_shape
    report = botocore.validate.ParamValidator().validate(call['input'], shape)
    assert not report.has_errors(), report.generate_report()
    def unknown(value, shape, path):
        if shape.type_name == 'structure':
            for key, item in value.items():
                assert key in shape.members, path + key
                unknown(item, shape.members[key], path + key + '.')
        elif shape.type_name == 'list':
            for item in value: unknown(item, shape.member, path)
        elif shape.type_name == 'string' and getattr(shape, 'enum', None):
            assert value in shape.enum, path + value
    unknown(call['input'], shape, '')
    return 1
print(globals()[sys.argv[1]](sys.stdin.read()))
`;

const job = (changes: Partial<BatchJob> = {}): BatchJob => ({
  plan: 's3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
  uploadId: asUploadId('20251114-093012-1a2b3c4d'),
  storeFlags: ['--region', 'eu-west-1'],
  partCount: 64,
  missing: Array.from({ length: 64 }, (_, part) => part),
  perTask: 1,
  atOnce: 16,
  cpus: 4,
  memoryBytes: 2 ** 33,
  timeMs: 7_200_000,
  ...changes,
});
const JOBS = { whole: job(), rest: job({ missing: [7, 12, 13], perTask: 2 }), last: job({ missing: [5] }) };
const image = 'registry.example/archiver:1';

let python: Venv | string = '';
beforeAll(
  async () => void (python = await venv({ name: 'schemas', packages: ['kubernetes-validate', 'botocore'] })),
  INSTALL_MS,
);
afterAll(async () => {
  if (typeof python !== 'string') await python.remove();
});

/** Throws what the checker says of a document that it does not take. */
async function check(kind: string, text: string, ...args: readonly string[]): Promise<number> {
  if (typeof python === 'string') throw new Error(python);
  const file = join(await tempFolder(), 'check.py');
  writeFileSync(file, CHECK);
  return Number(
    execFileSync(python.bin('python'), [file, kind, ...args], { input: text, encoding: 'utf8', stdio: 'pipe' }),
  );
}

describe.each(Object.entries(JOBS))('%s', (_name, one) => {
  test.for(VERSIONS)('Kubernetes %s takes the Jobs', async (version, { skip }) => {
    if (typeof python === 'string') skip(python);
    const pods = [
      { image, folder: '/data/survey' },
      { image, claim: 'survey', folder: '/data', secret: 's3', serviceAccount: 'lab' },
    ];
    for (const options of pods) expect(await check('kubernetes', kubernetesYaml(one, options), version)).toBe(2);
    const wrong = kubernetesYaml(one, { image, folder: '/data' }).replace(
      'backoffLimitPerIndex',
      'backoffLimitPerIndexes',
    );
    await expect(check('kubernetes', wrong, version)).rejects.toThrow('backoffLimitPerIndexes');
  });

  test('AWS Batch takes the definition, the array and the commit', async ({ skip }) => {
    if (typeof python === 'string') skip(python);
    const script = batchScript(one, {
      image,
      folder: '/data',
      queue: 'bulk',
      jobRole: 'arn:aws:iam::123456789012:role/a',
      fileSystem: 'fs-1',
    });
    const inputs = [...script.matchAll(/--cli-input-json '(.*?)'\)$/gms)].map(
      ([, text = '']) => JSON.parse(text) as object,
    );
    expect(inputs).toHaveLength(3);
    const [definition, ...jobs] = inputs;
    const call = (operation: string, input: object | undefined): string => JSON.stringify({ operation, input });
    expect(await check('batch', call('RegisterJobDefinition', definition))).toBe(1);
    for (const input of jobs) expect(await check('batch', call('SubmitJob', { ...input, jobDefinition: 'd' }))).toBe(1);
    await expect(check('batch', call('SubmitJob', { ...jobs[0], jobDefinition: 'd', size: 2 }))).rejects.toThrow(
      'size',
    );
  });
});
