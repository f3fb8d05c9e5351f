import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Results, Terminal } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';
import { detectedStoreFlags, DEFAULT_REGION } from '../kit/flags.js';
import { fact, textOf } from '../kit/lines.js';
import type { StoreContext } from '../kit/store.js';
import type { TableContext } from '../kit/table.js';

export const command = defineCommand({
  path: 'access-check',
  summary: 'report who may get at a bucket',
  description:
    'Asks the bucket, its account and its KMS key and reports: Block Public Access of the bucket and the account, ' +
    "the bucket policy by AWS' own definition of public, S3's verdict on it, the ACL, object ownership, default encryption, the policy of " +
    'the KMS key, and versioning. All of it is about the whole bucket, whatever the prefix.\n' +
    'It ends with a table of what the store can do, and what follows from it: docs/access.md says how each row is asked.\n' +
    'It changes nothing but this: whether the bucket keeps If-None-Match, which storage classes it has, and what it makes of multipart ' +
    'uploads is found out by putting a few small objects, which are deleted again; what it keeps is remembered for 30 days.\n' +
    '--try says with the credentials of a writer what these keep to, and what to switch on where they do not. It touches no object but those ' +
    'it has put itself; what it may not delete again it names.\n' +
    'ok: nothing to do. info: worth knowing. unknown: the credentials may not look at it (the IAM action that they need is named), or it is ' +
    'not understood. warn: weaker than it should be, or held back by one setting alone. critical: open to anybody. What can be ' +
    'mended has a command to type.',
  args: [arg.url('S3_URL', { describe: 'the bucket: s3://bucket[/prefix]' })],
  flags: {
    ...detectedStoreFlags,
    kmsKeyId: flag.text({
      placeholder: 'ID',
      describe: 'look at this KMS key (id, ARN or alias) instead of the default key of the bucket',
    }),
    try: flag.on({
      describe:
        'try what the key in force may do there: put, overwrite, list, get and delete an object of its own, and say what holds of what a writer is to keep to',
    }),
    writerId: flag.text({
      placeholder: 'ID',
      describe:
        'the key is that of this writer: ask below writers/ID/, and try that it reaches no other; auto is the id that this machine writes under',
    }),
    format: flag.choice(['table', 'json'], { default: 'table', describe: 'json is the same as --json' }),
  },
  rules: [requires('writerId', 'try')],
  examples: [
    'archiver access-check s3://acme-archive/lab',
    'archiver access-check s3://acme-archive/lab --try --writer-id nas-01 --profile nas-01',
    'archiver access-check -b acme-archive --kms-key-id alias/archive --json',
  ],
  exits: {
    0: 'reported, whatever was found',
    1: 'the bucket cannot be reached: credentials are missing or not accepted, or there is no such bucket',
  },
  async run(values, [url], context: Results<'access-check'> & StoreContext & TableContext & Pick<Terminal, 'colors'>) {
    const { formatStoreUrl, parseStoreUrl } = await import('../../core/store/store-url.js');
    const { findingsText, reportAccess } = await import('./report-access.js');
    const { capabilityLines } = await import('./capabilities.js');
    const { printable } = await import('../../core/platform/paths/raw-path.js');
    const { documentLine } = await import('../../core/platform/json/document.js');
    const { datasetBase, writerIdOf } = await import('../kit/dataset-target.js');
    const base = formatStoreUrl(parseStoreUrl(url));
    const writerId = writerIdOf(values.writerId ?? '');
    const baseUrl = writerId === undefined ? base : datasetBase(base, writerId);
    const access = { ...values, region: values.region ?? DEFAULT_REGION, asksCapabilities: true };
    const found = await reportAccess(baseUrl, access, context);
    const { capabilities = [] } = found;
    const { keyLines, reportKey } = await import('./key-trial.js');
    const key = values.try ? await reportKey(base, writerId, access, context) : undefined;
    const report = { ...found, capabilities, ...key };
    const table = await findingsText(report.findings, context);
    const head = [
      printable(baseUrl),
      ...(report.region === null ? [] : [fact('region', report.region)]),
      fact('caller', printable(report.callerArn ?? 'not known')),
      fact('overall', report.overall.toUpperCase()),
      '',
    ];
    const foot = textOf([
      '',
      ...capabilityLines(capabilities, context),
      ...(key === undefined ? [] : ['', ...keyLines(key, context)]),
    ]);
    context.result(report, () => (values.format === 'json' ? documentLine(report) : `${textOf(head)}${table}${foot}`));
  },
});
