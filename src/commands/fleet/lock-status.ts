import { defineCommand } from '../../cli/command.js';
import type { Clock, Results } from '../../cli/context.js';
import { detectedStoreFlags, DEFAULT_REGION, placeArg } from '../kit/flags.js';
import type { StoreContext } from '../kit/store.js';
import type { TableContext } from '../kit/table.js';

export const command = defineCommand({
  path: 'fleet lock-status',
  summary: 'audit whether what a bucket holds can be destroyed',
  description:
    'Asks the bucket, and changes nothing: versioning, S3 Object Lock and its default retention, and whether a lifecycle rule removes ' +
    'failed multipart uploads below the prefix. Where there is a default retention, it is compared with the versions below S3_URL that ' +
    '`dataset prune` always keeps: the newest of each dataset, and tagged ones.\n' +
    'OK, WARN, UNKNOWN (the IAM action that is missing is named) and CRITICAL are in this order, and the worst is the overall ' +
    'verdict. Locks of single objects are not looked at.',
  args: [placeArg],
  flags: detectedStoreFlags,
  examples: [
    'archiver fleet lock-status s3://acme-archive/fleet',
    'archiver fleet lock-status s3://acme-archive --json',
  ],
  exits: {
    0: 'audited, whatever was found',
    1: 'the bucket cannot be reached: credentials are missing or not accepted, or there is no such bucket',
  },
  async run(values, [url], context: Results<'fleet lock-status'> & Clock & StoreContext & TableContext) {
    const { joinStoreUrl } = await import('../../core/store/store-url.js');
    const { readOnly } = await import('../../core/store/read-only.js');
    const { checkLock } = await import('../../core/access/check-lock.js');
    const { LOCK_ORDER } = await import('../../core/access/judge-immutability.js');
    const { worstOf } = await import('../../core/access/finding.js');
    const { usageError } = await import('../../core/platform/failures/errors.js');
    const { bucketOf, commandPlace, findingsText, postureOf } = await import('../access/report-access.js');
    const { withStore } = await import('../kit/store.js');
    const baseUrl = joinStoreUrl(url);
    const { bucket, prefix } = bucketOf(baseUrl, 'only buckets of S3 have locks');
    const access = { ...values, region: values.region ?? DEFAULT_REGION };
    const { signal } = context;
    const report = await withStore({ baseUrl, values: access, context }, async (opened) => {
      const { store, lifecycle, requests } = opened;
      if (lifecycle === undefined) throw usageError(`${baseUrl} is no bucket`);
      const place = commandPlace(bucket, opened, values.profile);
      const about = { posture: postureOf(opened), lifecycle, reader: readOnly(store), place, prefix };
      return { findings: await checkLock({ ...about, now: context.now(), signal }), requests };
    });
    const overall = worstOf(report.findings, LOCK_ORDER);
    const text = await findingsText(report.findings, context, ['', `Overall: ${overall.toUpperCase()}`]);
    const document = { bucket, prefix, overall, ...report };
    context.result(document, () => text);
  },
});
