// `archiver analyze` and `aws s3 ls --recursive --summarize` of one bucket, in turns, against the gateway at $AWS_ENDPOINT_URL:
//   npx tsx test/servers/start-servers.ts   prints the gateway and its keys
//   AWS_ENDPOINT_URL=http://127.0.0.1:PORT node bench/analyze.mjs [--objects 200000] [--runs 3]
// The bucket is filled the first time: small objects in folders of very different sizes. Totals have to be equal.
import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { measure, median } from './measure.mjs';

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '200000' }, runs: { type: 'string', default: '3' } },
});
const objects = Number(values.objects);
const endpoint = process.env.AWS_ENDPOINT_URL;
if (endpoint === undefined) throw new Error('AWS_ENDPOINT_URL names no gateway');
const BUCKET = `archiver-analyze-${objects}`;
const PUTS_AT_ONCE = 32;
const MIB = 2 ** 20;
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** Half of all in one folder, the others in a thousand. */
const keyOf = (n) =>
  n % 2 === 0
    ? `runs/2024/raw/frame_${String(n).padStart(8, '0')}.dat`
    : `subject-${String(n % 1999).padStart(4, '0')}/session/${n}.json`;
const bodyOf = (n) => 'x'.repeat(1 + (n % 97));

/** Without signatures, which take longer than the rest: the bucket is open to everybody while it is filled. */
async function fill(client) {
  await client.send(new CreateBucketCommand({ Bucket: BUCKET, ACL: 'public-read-write' }));
  const agent = new Agent({ keepAlive: true, maxSockets: PUTS_AT_ONCE });
  const put = (n) =>
    new Promise((resolve, reject) => {
      const sent = request(`${endpoint}/${BUCKET}/${keyOf(n)}`, { method: 'PUT', agent }, (answer) => {
        answer
          .resume()
          .on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))));
      });
      sent.on('error', reject).end(bodyOf(n));
    });
  let next = 0;
  const work = async () => {
    while (next < objects) {
      const n = next++;
      await put(n);
      if (n % 10_000 === 0) process.stderr.write(`${n} of ${objects}\n`);
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, work));
  agent.destroy();
}

const client = new S3Client({ forcePathStyle: true });
const isThere = await client.send(new HeadBucketCommand({ Bucket: BUCKET })).then(
  () => true,
  () => false,
);
if (!isThere) await fill(client);
client.destroy();

const text = (command, args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
const listed = text('aws', ['s3', 'ls', `s3://${BUCKET}`, '--recursive', '--summarize']);
const found = JSON.parse(text('node', [cli, 'analyze', `s3://${BUCKET}`, '--json', '--no-progress']));
const totals = ['Objects', 'Size'].map((name) => Number(new RegExp(`Total ${name}: (\\d+)`).exec(listed)?.[1]));
if (found.objects !== totals[0] || found.bytes !== totals[1] || totals[0] !== objects)
  throw new Error(`analyze found ${found.objects} objects of ${found.bytes} bytes, aws ${totals.join(' of ')}`);

const programs = {
  analyze: `node ${cli} analyze s3://${BUCKET} --json --no-progress`,
  aws: `aws s3 ls s3://${BUCKET} --recursive --summarize`,
};
const results = { analyze: [], aws: [] };
for (let run = 0; run < Number(values.runs); run++)
  for (const [name, command] of Object.entries(programs)) {
    const result = await measure(command, {});
    results[name].push(result);
    process.stderr.write(`${name}: ${JSON.stringify(result)}\n`);
  }
const debug = `aws s3 ls s3://${BUCKET} --recursive --debug 2>&1 | grep -c 'Sending http request'`;
const requests = {
  analyze: Object.values(found.requests).reduce((sum, count) => sum + count, 0),
  aws: Number(text('bash', ['-c', debug])),
};
console.log(`${objects} objects, ${found.bytes} bytes: totals are equal`);
for (const [name, runs] of Object.entries(results)) {
  const of = (pick) => median(runs.map(pick)).toFixed(2);
  const peak = Math.max(...runs.map(({ peakBytes }) => peakBytes)) / MIB;
  console.log(
    `| ${name} | ${runs.length} | ${requests[name]} | ${of(({ wall }) => wall)} | ${of(({ cpu }) => cpu)} | ${peak.toFixed(0)} MiB |`,
  );
}
