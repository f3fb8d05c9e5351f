// The common part of `access-check` and `upload --check-access`: asks a bucket, and shows what was found.
import { answerOf } from '../../core/access/answer.js';
import type { Capability } from '../../core/access/capabilities/capability.js';
import { type AccessReport, checkAccess } from '../../core/access/check-access.js';
import type { CommandPlace } from '../../core/access/aws-command.js';
import { type Finding, type Severity, worstOf } from '../../core/access/finding.js';
import { withServices } from '../../core/access/services.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { BucketPosture } from '../../core/store/bucket-posture.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { wrapped } from '../../ui/wrapped.js';
import { probeBucketCapabilities } from './capabilities.js';
import { askCreateOnce, createOnceFinding } from './create-once.js';
import { type StoreContext, type StoreValues, withStore } from '../kit/store.js';
import { column, tableText, type TableContext } from '../kit/table.js';

export interface BucketReport extends AccessReport {
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string | null;
  /** The worst severity of the findings. */
  readonly overall: Severity;
  /** Set when it was asked for. */
  readonly capabilities?: readonly Capability[];
  readonly requests: RequestCounts;
}

/** Returns the bucket and prefix of a URL. @throws usage for a folder, with the reason `what` */
export function bucketOf(url: string, what: string): { readonly bucket: string; readonly prefix: string } {
  const place = parseStoreUrl(url);
  if (place.kind === 's3') return place;
  throw usageError(`${printable(place.folder)} is a folder, and ${what}`, 'name a bucket: s3://bucket[/prefix]');
}

/** Returns the place for commands that the user is told to type. */
export function commandPlace(
  bucket: string,
  { region, servers }: OpenedStore,
  profile: string | undefined,
): CommandPlace {
  return { bucket, region, profile, endpoint: servers?.store ?? undefined };
}

/** Returns the access settings of the bucket. @throws usage for a store that has none */
export function postureOf({ posture, store }: OpenedStore): BucketPosture {
  if (posture === undefined) throw usageError(`${printable(store.url)} is no bucket`);
  return posture;
}

/** Asks the bucket everything. @throws usage for a folder, and what `checkAccess` throws */
export async function reportAccess(
  baseUrl: string,
  values: StoreValues & { readonly kmsKeyId: string | undefined; readonly asksCapabilities?: boolean },
  context: StoreContext,
): Promise<BucketReport> {
  const { bucket, prefix } = bucketOf(baseUrl, 'only buckets of S3 have policies and ACLs');
  return await withStore({ baseUrl, values, context }, async (opened) => {
    const { region, isAws, requests } = opened;
    const { env, signal } = context;
    const { profile, endpointUrl, caBundle, kmsKeyId } = values;
    const sources = { env, signal, isAws, profile, endpointUrl, caBundle, region: region ?? values.region };
    const place = commandPlace(bucket, opened, values.profile);
    const report = await withServices(sources, (services) =>
      checkAccess({ posture: postureOf(opened), services, place, isAws, kmsKeyId, signal }),
    );
    const asked = values.asksCapabilities === true ? await askByPutting(opened, context) : undefined;
    const findings = [...report.findings, ...(asked?.findings ?? [])];
    const { capabilities } = asked ?? {};
    const about = { bucket, prefix, region: region ?? null, ...report, findings, overall: worstOf(findings) };
    return { ...about, ...(capabilities && { capabilities }), requests };
  });
}

/** Finds out what can only be seen by putting objects, which are deleted again. */
async function askByPutting(
  opened: OpenedStore,
  context: StoreContext,
): Promise<Required<Pick<BucketReport, 'findings' | 'capabilities'>>> {
  const createOnce = await answerOf('s3:PutObject', () => askCreateOnce(opened, context));
  const capabilities = await probeBucketCapabilities(opened, createOnce, context);
  return { findings: [createOnceFinding(createOnce)], capabilities };
}

const WIDTH = 78;
const INDENT = '  ';

/** The details of a finding that are not in the table, and the command to type. */
const explained = ({ check, detail, remediation }: Finding): readonly string[] => [
  `${check}:`,
  ...wrapped(printable(detail ?? ''), WIDTH - INDENT.length)
    .filter((line) => line !== '')
    .map((line) => INDENT + line),
  // A command stays on one line, so that it can be copied.
  ...(remediation === null ? [] : [`${INDENT}$ ${remediation}`]),
];

/** A table of all findings; below it `middle`, and the details of each finding. */
export async function findingsText(
  findings: readonly Finding[],
  context: TableContext,
  middle: readonly string[] = [],
): Promise<string> {
  const table = await tableText(
    findings,
    [
      column<Finding>('CHECK', ({ check }) => check),
      column<Finding>('STATUS', ({ severity }) => severity.toUpperCase()),
      column<Finding>('SUMMARY', ({ summary }) => printable(summary), { isCuttable: true }),
    ],
    context,
  );
  const told = findings.filter(({ severity, detail }) => severity !== 'ok' || detail !== null);
  const more = [...middle, ...told.flatMap((one) => ['', ...explained(one)])];
  return more.length === 0 ? table : `${table}${more.join('\n')}\n`;
}
