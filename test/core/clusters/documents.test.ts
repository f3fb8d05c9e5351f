// What is handed to schedulers. The scripts are run by a shell with a scheduler's programs that only write down how they were called.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { batchScript } from '../../../src/core/clusters/batch.js';
import { type Job, partsPerTask } from '../../../src/core/clusters/job.js';
import { kubernetesYaml } from '../../../src/core/clusters/kubernetes.js';
import { maxArraySize, slurmScript } from '../../../src/core/clusters/slurm.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { tempFolder } from '../../support/temp-folder.js';

const PLAN = 's3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d';
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const job = (changes: Partial<Job> = {}): Job => ({
  plan: PLAN,
  uploadId: asUploadId('20251114-093012-1a2b3c4d'),
  storeFlags: [],
  partCount: 64,
  missing: upTo(64),
  perTask: 1,
  ...changes,
});
const GIB = 2 ** 30;

interface CommitJob {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly command: readonly string[]; readonly args: readonly string[] }];
      };
    };
  };
}

/** Runs a script with a program that writes its arguments and input to files, and answers with 7, 8, …; returns what it was called with. */
async function calls(script: string, program: string, args: readonly string[] = []) {
  const folder = await tempFolder();
  const path = join(folder, program);
  writeFileSync(
    path,
    `#!/bin/sh
n=$(cat '${folder}/n' 2>/dev/null || echo 6); n=$((n + 1)); echo $n > '${folder}/n'
printf '%s\\n' "$@" > '${folder}'/args-$n
[ ${program} != sbatch ] || cat > '${folder}'/input-$n
echo $n
`,
  );
  chmodSync(path, 0o755);
  const stdout = execFileSync('sh', ['-c', script, 'sh', ...args], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    encoding: 'utf8',
  });
  const text = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  return { stdout, call: (id: number) => ({ args: text(`args-${id}`), input: text(`input-${id}`) }) };
}

describe('parts a task', () => {
  test.each([
    [64, 1001, undefined, 1],
    [1001, 1001, undefined, 1],
    [1002, 1001, undefined, 2],
    [5000, 1001, undefined, 5],
    [5000, 1001, 8, 8],
  ])('%i parts in arrays up to %i, asked for %s: %i', (parts, most, asked, perTask) => {
    expect(partsPerTask(parts, most, asked)).toBe(perTask);
  });

  test('too few are refused, with the number that does', () => {
    expect(() => partsPerTask(5000, 1001, 4)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('--per-task 5') as string }),
    );
  });

  test('Slurm says how long its arrays may be', () => {
    expect(maxArraySize('MailProg = /bin/mail\nMaxArraySize            = 4001\nMaxBatchRequeue = 5\n')).toBe(4001);
    expect(maxArraySize('')).toBeUndefined();
  });
});

describe('Slurm', () => {
  test('gets the array, and a commit after it, however it ends', async () => {
    const limits = {
      atOnce: 16,
      cpus: 4,
      memoryBytes: 8 * GIB,
      timeMs: 5_400_000,
      storeFlags: ['--region', 'eu-west-1'],
    };
    const { stdout, call } = await calls(slurmScript(job(limits), { partition: 'long', exclusive: '' }), 'sbatch');

    expect(stdout).toBe('parts 7\ncommit 8\n');
    expect(call(7)).toEqual({
      args: '--parsable\n',
      input: `#!/bin/sh
#SBATCH --job-name=archiver-20251114-093012-1a2b3c4d
#SBATCH --array=0-63%16
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
#SBATCH --cpus-per-task=4
#SBATCH --mem=8192M
#SBATCH --time=90
#SBATCH --partition=long
#SBATCH --exclusive
exec archiver work ${PLAN} --part auto --region eu-west-1
`,
    });
    expect(call(8).args).toBe('--parsable\n--dependency=afterany:7\n');
    expect(call(8).input).toContain(
      `#SBATCH --partition=long\n#SBATCH --exclusive\nexec archiver commit ${PLAN} --region eu-west-1\n`,
    );
  });

  test('does what is missing, by the numbers of the parts', async () => {
    const { call } = await calls(slurmScript(job({ missing: [7, 12, 13, 14] }), {}), 'sbatch');
    expect(call(7).input).toContain('#SBATCH --array=7,12-14\n');
    expect(call(7).input).toContain('--part auto\n');
  });

  test('does several parts a task, and of those that are missing only these', async () => {
    const whole = await calls(slurmScript(job({ perTask: 10 }), {}), 'sbatch');
    expect(whole.call(7).input).toContain('#SBATCH --array=0-6\n');
    expect(whole.call(7).input).toContain('--part auto --per-task 10\n');
    const rest = await calls(slurmScript(job({ perTask: 2, missing: [7, 12, 13] }), {}), 'sbatch');
    expect(rest.call(7).input).toContain('#SBATCH --array=0-1\n');
    expect(rest.call(7).input).toContain('--part auto:7,12-13 --per-task 2\n');
  });

  test('takes another array for the parts alone, which is the line that commit prints', async () => {
    const { call } = await calls(slurmScript(job(), {}), 'sbatch', ['--array=7,12-14']);
    expect([call(7).args, call(8).args]).toEqual([
      '--parsable\n--array=7,12-14\n',
      '--parsable\n--dependency=afterany:7\n',
    ]);
  });

  test('words for the shell stay words', async () => {
    const plan = "file:///mnt/it's $HOME/uploads/20251114-093012-1a2b3c4d";
    const { call } = await calls(slurmScript(job({ plan }), {}), 'sbatch');
    const said = execFileSync('sh', ['-c', call(7).input.replace('exec archiver', 'printf "%s\\n"')], {
      encoding: 'utf8',
    });
    expect(said.split('\n')[1]).toBe(plan);
  });
});

describe('Kubernetes', () => {
  const pods = { image: 'registry.example/archiver:1', folder: '/data/survey' };
  const documents = (changes: Partial<Job>, options = {}): Record<string, never>[] =>
    parseAllDocuments(kubernetesYaml(job(changes), { ...pods, ...options })).map(
      (document) => document.toJS() as Record<string, never>,
    );

  test('gets an Indexed Job and one that commits', () => {
    const limits = {
      atOnce: 16,
      cpus: 4,
      memoryBytes: 8 * GIB,
      timeMs: 5_400_000,
      storeFlags: ['--region', 'eu-west-1'],
    };
    const [parts, commit] = documents(limits, {
      claim: 'survey',
      folder: '/data',
      secret: 's3',
      serviceAccount: 'lab',
    });

    expect(parts).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: {
        completionMode: 'Indexed',
        completions: 64,
        parallelism: 16,
        backoffLimitPerIndex: 6,
        template: {
          spec: {
            restartPolicy: 'Never',
            activeDeadlineSeconds: 5400,
            serviceAccountName: 'lab',
            containers: [
              {
                args: ['work', PLAN, '--part', 'auto', '--region', 'eu-west-1'],
                resources: { requests: { cpu: 4, memory: '8192Mi' }, limits: { memory: '8192Mi' } },
                envFrom: [{ secretRef: { name: 's3' } }],
                volumeMounts: [{ name: 'source', mountPath: '/data', readOnly: true }],
              },
            ],
            volumes: [{ name: 'source', persistentVolumeClaim: { claimName: 'survey', readOnly: true } }],
          },
        },
      },
    });
    expect(commit).toMatchObject({
      spec: {
        template: {
          spec: { serviceAccountName: 'lab', containers: [{ args: ['commit', PLAN, '--region', 'eu-west-1'] }] },
        },
      },
    });
  });

  test('without a claim the nodes have the folder', () => {
    const [parts] = documents({});
    expect(parts).toMatchObject({
      spec: {
        parallelism: 64,
        template: { spec: { volumes: [{ hostPath: { path: '/data/survey', type: 'Directory' } }] } },
      },
    });
  });

  test('deals out what is missing', () => {
    const [parts] = documents({ missing: [7, 12, 13], perTask: 2 });
    const spec = { completions: 2, parallelism: 2 };
    expect(parts).toMatchObject({ spec });
    expect(JSON.stringify(parts)).toContain('"--part","auto:7,12-13","--per-task","2"');
  });

  test('does all again where the list of what is missing is too long', () => {
    const [parts] = documents({ partCount: 5000, missing: upTo(5000).filter((part) => part % 2 === 0) });
    expect(parts).toMatchObject({ spec: { completions: 5000 } });
    expect(JSON.stringify(parts)).toContain('"--part","auto"]');
  });

  test.each([0, 2, 4])('its commit asks again while parts are missing, and ends with status %i', async (last) => {
    const [, commit] = documents({ plan: 'x' });
    const { command, args } = (commit as unknown as CommitJob).spec.template.spec.containers[0];
    const folder = await tempFolder();
    const program = (name: string, text: string): void =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('sleep', 'exit 0');
    program('archiver', `echo "$@" >> '${folder}/said'; [ $(wc -l < '${folder}/said') -eq 3 ] || exit 1; exit ${last}`);
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const run = spawnSync('env', [...command, ...args], { env });
    expect([run.status, readFileSync(join(folder, 'said'), 'utf8')]).toEqual([last, 'commit x\n'.repeat(3)]);
  });
});

describe('AWS Batch', () => {
  const options = { image: 'registry.example/archiver:1', folder: '/data/survey', queue: 'bulk' };
  const batchJob = (changes: Partial<Job> = {}) => ({ ...job(changes), cpus: 4, memoryBytes: 8 * GIB });
  const inputs = async (script: string) => {
    const { stdout, call } = await calls(script, 'aws');
    const read = (id: number) => {
      const { args } = call(id);
      const [words = '', text = ''] = args.split('--cli-input-json\n');
      return { words: words.split('\n'), input: JSON.parse(text) as Record<string, unknown> };
    };
    return { stdout, definition: read(7), parts: read(8), commit: read(9) };
  };

  test('gets a definition, an array and a commit that depends on it', async () => {
    const changes = { timeMs: 5_400_000, storeFlags: ['--region', 'eu-west-1'] };
    const jobRole = 'arn:aws:iam::123456789012:role/archiver';
    const { stdout, definition, parts, commit } = await inputs(batchScript(batchJob(changes), { ...options, jobRole }));

    expect(stdout).toBe('parts 8\ncommit 9\n');
    expect(definition.input).toMatchObject({
      jobDefinitionName: 'archiver-20251114-093012-1a2b3c4d',
      containerProperties: {
        image: options.image,
        jobRoleArn: jobRole,
        volumes: [{ name: 'source', host: { sourcePath: '/data/survey' } }],
      },
      timeout: { attemptDurationSeconds: 5400 },
    });
    expect(parts.words).toEqual(expect.arrayContaining(['--job-definition', '7']) as unknown);
    expect(parts.input).toEqual({
      jobName: 'archiver-20251114-093012-1a2b3c4d',
      jobQueue: 'bulk',
      arrayProperties: { size: 64 },
      containerOverrides: { command: ['work', PLAN, '--part', 'auto', '--region', 'eu-west-1'] },
    });
    expect(commit.words).toEqual(expect.arrayContaining(['--depends-on', 'jobId=8']) as unknown);
    expect(commit.input).toMatchObject({ containerOverrides: { command: ['commit', PLAN, '--region', 'eu-west-1'] } });
  });

  test('a single task is no array, and has no number of its own', async () => {
    const { parts } = await inputs(batchScript(batchJob({ partCount: 3, missing: [0, 2], perTask: 2 }), options));
    expect(parts.input).toMatchObject({ containerOverrides: { command: ['work', PLAN, '--part', '0,2'] } });
    expect(parts.input).not.toHaveProperty('arrayProperties');
  });
});
