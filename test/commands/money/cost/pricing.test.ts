import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { command as estimate } from '../../../../src/commands/money/cost/estimate.js';
import { command as pricing } from '../../../../src/commands/money/cost/pricing.js';
import { type Offer, type PricingServer, startPricingServer } from '../../../support/pricing-server.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { treeOf } from '../../../support/tree-of.js';

const root = treeOf([pricing, estimate], [{ path: 'cost', summary: 'costs' }], 'test');
let folder = '';
let now = new Date('2026-11-22T10:00:00Z');
let env: Record<string, string> = {};

beforeEach(async () => {
  folder = await tempFolder();
  now = new Date('2026-11-22T10:00:00Z');
  env = {};
  // The SDK looks into the variables of the process; nothing of the computer that this runs on counts.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
  for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
    vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const cost = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env, now: () => now }, ['cost', ...argv]);
const config = async (text: string): Promise<void> => await writeFile(join(folder, '.archiver.yaml'), text);

describe('cost pricing', () => {
  test('shows the list of a region, and where it is from', async () => {
    const { status, stdout } = await cost('pricing', '--region', 'sa-east-1');

    expect(status).toBe(0);
    expect(stdout).toMatch(/STANDARD +\$0\.0405 \/ \$0\.039 \/ \$0\.037 +\$0\.007 +\$0\.00056 /);
    expect(stdout).toMatch(/DEEP_ARCHIVE .*standard \$0\.028, bulk \$0\.008 .* 180\n/);
    expect(stdout).toContain('kms       $0.003 for 1000 requests of SSE-KMS\n');
    expect(stdout).toContain('the first 100 GB of an account each month are free');
    expect(stdout).toContain('prices    AWS list prices of 2026-11-20 for sa-east-1\n');
  });

  test('as JSON', async () => {
    const { classPrices, transferOut, provider, kmsPer1000 } = json((await cost('pricing', '--json')).stdout);

    expect([provider, kmsPer1000]).toEqual(['aws', 0.003]);
    expect(transferOut).toContainEqual({ upToGb: 10_240, usd: 0.09 });
    expect(classPrices).toContainEqual(
      expect.objectContaining({ storageClass: 'GLACIER', putPer1000: 0.03, minimumDays: 90 }),
    );
  });

  test('a region without prices is refused, with the one that was meant', async () => {
    const { status, stderr } = await cost('pricing', '--region', 'us-wst-2');

    expect([status, stderr]).toEqual([1, expect.stringContaining("no list of prices for region 'us-wst-2'")]);
    expect(stderr).toContain('did you mean us-west-2?');
  });

  test('other providers have their own rules', async () => {
    const { stdout } = await cost('pricing', '--provider', 'wasabi');
    const none = await cost('pricing', '--provider', 'minio');

    expect(stdout).toContain('1024 GB are billed each month');
    expect(stdout).toContain('Wasabi list prices of');
    expect(none.stdout).toContain('not known: no list of MinIO is here; costControl.ownPrices says them');
  });

  test('are those of the server that the shell works with, unless a region of AWS is typed', async () => {
    env = { AWS_ENDPOINT_URL: 'https://s3.us-west-004.backblazeb2.com' };
    const listOf = async (...argv: string[]): Promise<string> => (await cost('pricing', ...argv)).stdout;
    const live = await cost('pricing', '--real-time-pricing');

    expect(await listOf()).toContain('Backblaze B2 list prices of');
    expect(await listOf('--region', 'us-west-2')).toContain('AWS list prices of');
    expect([live.status, live.stderr]).toEqual([2, expect.stringContaining('--provider aws')]);
    env = { AWS_ENDPOINT_URL: 'http://localhost:9000' };
    expect(await listOf()).toContain('AWS list prices of');
  });
});

describe('prices of the config file', () => {
  test('hold in every amount and are told', async () => {
    await config('costControl:\n  priceDiscount: 10%\n  ownPrices:\n    DEEP_ARCHIVE.storage: 0.0005\n');

    const { stdout } = await cost('pricing');
    const { monthlyUsd, terms } = json((await cost('estimate', '--size', '1TiB', '--json')).stdout);

    expect(stdout).toMatch(/STANDARD +\$0\.0207 /);
    expect(stdout).toMatch(/DEEP_ARCHIVE +\$0\.0005 +\$0\.045 /);
    expect(stdout).toContain('10% off the list (costControl.priceDiscount); own prices of DEEP_ARCHIVE.storage');
    expect(monthlyUsd).toBeCloseTo(1024 * 0.023 * 0.9, 6);
    expect(terms).toHaveLength(2);
  });

  test('name the provider, which a flag and a variable may, too', async () => {
    await config('costControl:\n  provider: b2\n');
    const providerOf = async (...argv: string[]): Promise<unknown> =>
      json((await cost('pricing', '--json', ...argv)).stdout)['provider'];

    expect(await providerOf()).toBe('b2');
    expect(await providerOf('--provider', 'wasabi')).toBe('wasabi');
    env = { ...env, ARCHIVER_PROVIDER: 'aws' };
    expect(await providerOf()).toBe('aws');
  });

  test.each([
    ['ownPrices:\n    STANDARD.space: 1\n', "no price called 'STANDARD.space'"],
    ['priceDiscount: 120%\n', 'wants a percentage'],
    ['provider: azure\n', 'wants one of aws'],
  ])('%j is refused', async (text, message) => {
    await config(`costControl:\n  ${text}`);

    const { status, stderr } = await cost('pricing');

    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('cost estimate', () => {
  const download = (size: string, storageClass: string): Promise<CommandRun> =>
    cost('estimate', '--size', size, '--storage-class', storageClass, '--operation', 'download');

  test('says what storage, requests and deleting too early cost', async () => {
    const { stdout } = await cost('estimate', '--size', '10TiB', '--storage-class', 'GLACIER');

    // 163,840 chunks of 64 MiB: 10,240 GB and 5 GB of overhead at 0.0036, 1.25 GB at 0.023; PUTs at 0.03.
    expect(stdout).toContain('10.0 TiB in GLACIER, in about 163 840 objects\n');
    expect(stdout).toContain('storage   $36.91 a month, $442.93 a year\n');
    expect(stdout).toContain('requests $4.92 once');
    expect(stdout).toContain('90 days: what is deleted sooner is paid for until then, $110.73 at most');
  });

  test('of a download says each tier with its time, and what the free transfer would save', async () => {
    const { stdout } = await download('1TiB', 'DEEP_ARCHIVE');

    expect(stdout).not.toContain('expedited');
    // 1024 × 0.02 + 16.384 × 0.1 + 1024 × 0.023 × 7/30 + 16.384 × 0.0004 + 1024 × 0.09
    expect(stdout).toMatch(/standard +\$119\.78 .*internet, readable within 12 h; \$110\.78 if the free transfer/);
  });

  test('a price that is not known is unknown, and no failure', async () => {
    const { status, stdout } = await cost('estimate', '--size', '1GB', '--provider', 'custom');

    expect([status, stdout]).toEqual([0, expect.stringContaining('storage   unknown a month')]);
  });

  test('a region without prices is warned of', async () => {
    const { status, stdout, stderr } = await cost('estimate', '--size', '1GB', '-r', 'eu-wst-1');

    expect([status, stdout]).toEqual([0, expect.stringContaining('storage   unknown a month')]);
    expect(stderr).toMatch(/^! there is no list of prices for region 'eu-wst-1', .*did you mean eu-west-1\?\n$/);
  });

  test('needs a size', async () => {
    expect((await cost('estimate')).status).toBe(2);
  });
});

const OFFERS: readonly Offer[] = [
  {
    service: 'AmazonS3',
    usagetype: 'USW2-TimedStorage-ByteHrs',
    bands: [
      ['51200', '0.03'],
      ['512000', '0.02'],
      ['Inf', '0.01'],
    ],
  },
  { service: 'AmazonS3', usagetype: 'USW2-Tables-TimedStorage-ByteHrs', bands: [['Inf', '9']] },
  { service: 'AmazonS3', usagetype: 'USW2-Requests-Tier1', bands: [['Inf', '0.0000060000']] },
  { service: 'AmazonS3', usagetype: 'USW2-Requests-Tier3', operation: 'RestoreObject', bands: [['Inf', '0.00006']] },
  { service: 'AmazonS3', usagetype: 'USW2-Requests-Tier3', operation: 'S3-GDATransition', bands: [['Inf', '0.00007']] },
  { service: 'AmazonS3', usagetype: 'USW2-Retrieval-SIA', bands: [['Inf', '0.011']] },
  { service: 'AmazonS3', usagetype: 'USW2-Retrieval-ZIA', bands: [['Inf', '0.011']] },
  { service: 'AmazonS3', usagetype: 'USW2-Retrieval-ZIA', operation: 'Other', bands: [['Inf', '0.5']] },
  { service: 'AmazonS3GlacierDeepArchive', usagetype: 'USW2-TimedStorage-GDA-ByteHrs', bands: [['Inf', '0.0012']] },
  {
    service: 'AWSDataTransfer',
    usagetype: 'USW2-DataTransfer-Out-Bytes',
    bands: [
      ['1', '0'],
      ['10240', '0.08'],
      ['Inf', '0.05'],
    ],
  },
  { service: 'AmazonS3', usagetype: 'TimedStorage-ByteHrs', region: 'us-east-1', bands: [['Inf', '5']] },
];

describe('--real-time-pricing', () => {
  const started = async (): Promise<PricingServer> => {
    const server = await startPricingServer(OFFERS);
    onTestFinished(() => server.close());
    env = { AWS_ENDPOINT_URL_PRICING: server.endpoint };
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    return server;
  };
  const live = async (...argv: string[]) =>
    json((await cost('pricing', '--real-time-pricing', '--json', ...argv)).stdout);
  const classOf = ({ classPrices }: Record<string, unknown>, name: string): unknown =>
    (classPrices as readonly { readonly storageClass: string }[]).find(({ storageClass }) => storageClass === name);

  test('takes what AWS answers, page by page, and the list for the rest', async () => {
    await started();

    const document = await live();

    expect(classOf(document, 'STANDARD')).toMatchObject({
      storage: [
        { upToGb: 51_200, usd: 0.03 },
        { upToGb: 512_000, usd: 0.02 },
        { upToGb: null, usd: 0.01 },
      ],
      putPer1000: 0.006,
      getPer1000: 0.0004,
    });
    expect(classOf(document, 'DEEP_ARCHIVE')).toMatchObject({ storage: [{ usd: 0.0012 }], transitionPer1000: 0.07 });
    expect(classOf(document, 'GLACIER')).toMatchObject({ retrievalRequestPer1000: { standard: 0.06, bulk: 0 } });
    expect(classOf(document, 'STANDARD_IA')).toMatchObject({ retrievalPerGb: { instant: 0.011 } });
    expect(classOf(document, 'ONEZONE_IA')).toMatchObject({ retrievalPerGb: { instant: 0.01 } });
    expect(document).toMatchObject({
      listPer1000: 0.006,
      kmsPer1000: 0.003,
      transferOut: [
        { upToGb: 10_240, usd: 0.08 },
        { upToGb: null, usd: 0.05 },
      ],
      pricesOf: '2026-11-22',
      terms: [expect.stringMatching(/^live prices of 2026-11-22T10:00:00\.000Z, 38 of 46 of the list of 2026-11-20$/)],
    });
  });

  test('asks once a day and region, whatever the command', async () => {
    const { asked } = await started();

    await live();
    const first = asked.length;
    now = new Date('2026-11-23T09:59:00Z');
    await cost('estimate', '--size', '1TB', '--real-time-pricing');
    expect(asked).toHaveLength(first);
    now = new Date('2026-11-23T10:00:00Z');
    await live();

    expect(asked).toHaveLength(2 * first);
    expect(new Set(asked)).toEqual(
      new Set([
        'AmazonS3 regionCode=us-west-2',
        'AmazonS3GlacierDeepArchive regionCode=us-west-2',
        'AWSDataTransfer fromRegionCode=us-west-2 transferType=AWS Outbound',
      ]),
    );
  });

  test('what was kept and is damaged, or of the future, is asked for again', async () => {
    const { asked } = await started();
    await live();
    const first = asked.length;
    const path = join(folder, 'home', 'prices', 'us-west-2.json');
    expect(await readdir(join(folder, 'home', 'prices'))).toEqual(['us-west-2.json']);

    await writeFile(path, (await readFile(path, 'utf8')).replace('0.0012', '0.0001'));
    expect(classOf(await live(), 'DEEP_ARCHIVE')).toMatchObject({ storage: [{ usd: 0.0012 }] });
    now = new Date('2026-11-21T10:00:00Z');
    await live();

    expect(asked).toHaveLength(3 * first);
  });

  test('a discount of the config file holds for them, too', async () => {
    await started();
    await config('costControl:\n  priceDiscount: 50%\n');

    const document = await live();

    expect(classOf(document, 'DEEP_ARCHIVE')).toMatchObject({ storage: [{ usd: 0.0006 }] });
    expect(document['terms']).toEqual([expect.stringContaining('live'), expect.stringContaining('50% off')]);
  });

  test('where they cannot be kept they are used, with a warning', async () => {
    await started();
    await mkdir(join(folder, 'home'));
    await writeFile(join(folder, 'home', 'prices'), 'no folder');

    const { status, stderr } = await cost('pricing', '--real-time-pricing');

    expect([status, stderr]).toEqual([0, expect.stringContaining('! the prices are not kept for today')]);
  });

  test.each([
    ['AccessDeniedException', 'not authorized to perform: pricing:GetProducts', 'need pricing:GetProducts'],
    ['UnrecognizedClientException', 'The security token is invalid', 'credentials are not accepted'],
    [
      'InvalidParameterException',
      'no such field',
      'the price list of AWS: the service answered 400 InvalidParameterException: no such field',
    ],
  ])('%s is one sentence with a way out', async (type, message, told) => {
    const server = await started();
    server.refuse(type, message);

    const { status, stderr } = await cost('pricing', '--real-time-pricing');

    expect([status, stderr]).toEqual([1, expect.stringContaining(told)]);
    expect(stderr).toContain('leave out --real-time-pricing');
  });

  test('without credentials nothing is asked, and it says so', async () => {
    const server = await started();
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);

    const { status, stderr } = await cost('pricing', '--real-time-pricing');

    expect([status, stderr]).toEqual([1, expect.stringContaining('the price list of AWS: no usable credentials')]);
    expect(server.asked).toEqual([]);
  });

  test('a region that AWS lists nothing for is not found; one with a path in it is no region', async () => {
    await started();

    expect((await cost('pricing', '--real-time-pricing', '-r', 'us-west-9')).stderr).toContain('AWS lists no prices');
    expect((await cost('pricing', '--real-time-pricing', '-r', '../x')).stderr).toContain('AWS lists no prices');
  });

  test('there are none of other providers', async () => {
    expect((await cost('pricing', '--real-time-pricing', '--provider', 'b2')).status).toBe(2);
  });
});
