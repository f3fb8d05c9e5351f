// The commands of a page of docs/, run as they are written against one server, with names of this place. What runs as a service is stopped
// after its first cycle or pass, and paths of the machine (/srv, /var, /etc) lie in a folder of the test.
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the program; a service gets SIGTERM when it has said something of a cycle or a pass: once, since a second one ends it at once. */
const PROGRAM = `import { spawn } from 'node:child_process';
const words = process.argv.slice(2);
const child = spawn(process.execPath, [process.env.ARCHIVER_CLI, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
let isRunning = /^(fleetagent run|fleet monitor)$/.test(words.slice(0, 2).join(' ')) && !words.includes('--once');
for (const name of ['stdout', 'stderr'])
  child[name].on('data', (data) => {
    process[name].write(data);
    if (!isRunning || !/cycle|[0-9] writer/.test(data)) return;
    isRunning = false;
    child.kill('SIGTERM');
  });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (status) => (process.exitCode = status ?? 99));
`;
/** `aws s3 cp`, for machines without the command line of AWS. */
const AWS = `import { readFileSync, writeFileSync } from 'node:fs';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
const [, , s3, cp, from, to, ...more] = process.argv;
if (s3 !== 's3' || cp !== 'cp' || more.length > 0) throw new Error('not known here: ' + process.argv.slice(2).join(' '));
const client = new S3Client({ forcePathStyle: true });
const place = (url) => { const [, Bucket, Key] = /^s3:..([^/]+).(.+)$/.exec(url); return { Bucket, Key }; };
if (to.startsWith('s3://')) await client.send(new PutObjectCommand({ ...place(to), Body: readFileSync(from) }));
else writeFileSync(to, await (await client.send(new GetObjectCommand(place(from)))).Body.transformToByteArray());
`;
const CREDENTIALS = { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' };

export interface Followed {
  readonly status: number;
  /** stdout, then stderr. */
  readonly said: string;
}

export interface DocumentPlace {
  readonly bucket: string;
  readonly client: S3Client;
  /** A path in the folder where the commands run, which is their HOME, too. */
  readonly at: (path: string) => string;
  /** Words of the page, with names of this place. */
  readonly here: (words: string) => string;
  readonly blocks: (language: string) => readonly string[];
  /** The only block of shell commands that has these words. @throws when there is none, or another one */
  readonly block: (words: string) => string;
  /** Runs commands in a shell that ends at the first that fails. */
  readonly follow: (commands: string, env?: Readonly<Record<string, string>>) => Promise<Followed>;
  /** Makes the folder's programs and the bucket. */
  readonly prepare: () => Promise<void>;
  readonly remove: () => void;
}

/** A folder and a bucket for the commands of docs/`page`; `names` are [what the page says, what is said here]. */
export function documentAt(
  page: string,
  endpoint: string,
  names: () => readonly (readonly [string | RegExp, string])[] = () => [],
): DocumentPlace {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const work = mkdtempSync(join(tmpdir(), 'archiver-doc-'));
  const at = (path: string): string => join(work, path);
  const bucket = `doc-${randomBytes(4).toString('hex')}`;
  const basis = {
    PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
    HOME: work,
    ARCHIVER_CLI: join(root, 'dist', 'cli.js'),
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CREDENTIALS });
  const here = (words: string): string =>
    names().reduce(
      (said, [from, to]) => said.replaceAll(from, to),
      words.replaceAll('acme-archive', bucket).replaceAll(/(?<=[\s:])\/(srv|var|etc)\//g, `${work}/$1/`),
    );
  const blocks = (language: string): readonly string[] =>
    Array.from(
      text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\`$`, 'gm')),
      ([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
  return {
    bucket,
    client,
    at,
    here,
    blocks,
    block(words) {
      const found = blocks('sh').filter((code) => code.includes(words));
      if (found.length !== 1) throw new Error(`${found.length} blocks of docs/${page} have ${words}`);
      return found[0] ?? '';
    },
    async follow(commands, env = {}) {
      const script = `set -euo pipefail\n${here(commands)}`;
      const options = { cwd: work, env: { ...basis, ...env }, timeout: 150_000 };
      return await promisify(execFile)('bash', ['-c', script], options).then(
        ({ stdout, stderr }) => ({ status: 0, said: stdout + stderr }),
        (error: { code?: number; stdout?: string; stderr?: string }) => ({
          status: error.code ?? 99,
          said: `${error.stdout}${error.stderr}`,
        }),
      );
    },
    async prepare() {
      mkdirSync(at('bin'));
      for (const [tool, code] of [
        ['archiver', PROGRAM],
        ['aws', AWS],
      ] as const) {
        writeFileSync(at(`bin/${tool}.mjs`), code);
        writeFileSync(at(`bin/${tool}`), `#!/bin/sh\nexec ${process.execPath} ${at(`bin/${tool}.mjs`)} "$@"\n`);
        chmodSync(at(`bin/${tool}`), 0o755);
      }
      execFileSync('ln', ['-s', join(root, 'node_modules'), at('node_modules')]);
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    },
    remove() {
      client.destroy();
      rmSync(work, { recursive: true, force: true });
    },
  };
}
