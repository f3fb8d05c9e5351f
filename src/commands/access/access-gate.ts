// `upload --check-access`: reports who has access to the bucket before anything is sent, and may refuse the upload.
import type { Context } from '../../cli/context.js';
import type { Values } from '../../cli/flag.js';
import type { SlotValues } from '../../cli/slots.js';
import { type Finding, reachesThreshold, type Severity } from '../../core/access/finding.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { findingsText, reportAccess } from './report-access.js';
import type { accessGateFlags } from '../kit/access-flags.js';
import type { StoreValues } from '../kit/store.js';

type GateValues = StoreValues & Values<typeof accessGateFlags> & { readonly kmsKeyId: string | undefined };

export interface AccessSummary {
  readonly overall: Severity;
  readonly findings: readonly Finding[];
}

/**
 * Checks access to the bucket; undefined without --check-access, and for a folder: a lower layer means buckets, and the typed flag was
 * refused. @throws access-posture when the worst finding is as bad as --fail-on; what `checkAccess` throws
 */
export async function accessGate(url: string, given: SlotValues, context: Context): Promise<AccessSummary | undefined> {
  // Only commands with these flags get here, and they have those of a store, too.
  const values = given as unknown as GateValues;
  const { checkAccess, failOn } = values;
  const place = parseStoreUrl(url);
  if (!checkAccess || place.kind === 'file') return undefined;
  const { bucket } = place;
  const { overall, findings } = await reportAccess(url, values, context);
  const table = await findingsText(findings, { stdout: context.stderr, json: false });
  context.note(`access to ${bucket}: ${overall.toUpperCase()}\n${table.trimEnd()}`);
  const hint = `archiver access-check s3://${bucket} says what to do`;
  if (reachesThreshold(overall, failOn)) {
    const bad = findings.filter(({ severity }) => reachesThreshold(severity, failOn));
    throw new ArchiverError(
      'access-posture',
      `who may get at ${bucket} is ${overall.toUpperCase()}, and --fail-on is ${failOn}; nothing was sent: ${worded(bad)}`,
      { hint },
    );
  }
  const bad = findings.filter(({ severity }) => reachesThreshold(severity, 'warn'));
  if (bad.length > 0) context.warn(`${bucket}: ${worded(bad)}; ${hint}`);
  return { overall, findings };
}

const worded = (findings: readonly Finding[]): string =>
  findings.map(({ check, summary }) => `${check} (${summary})`).join(', ');
