// `upload --check-access`: the posture of the bucket is reported, and may have its say, before anything is sent.
import type { Context } from '../../cli/context.js';
import type { Values } from '../../cli/flag.js';
import type { SlotValues } from '../../cli/slots.js';
import { type Finding, isAsBadAs, type Severity } from '../../core/access/finding.js';
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
 * Undefined where nobody asked, and for a folder: a lower layer speaks of buckets, and what is typed was refused. @throws
 * access-posture where the worst is as bad as --fail-on; what `checkAccess` throws
 */
export async function accessGate(url: string, given: SlotValues, context: Context): Promise<AccessSummary | undefined> {
  // Only a command with these flags asks for it, and it has those of a store, too.
  const values = given as unknown as GateValues;
  const { checkAccess, failOn } = values;
  const place = parseStoreUrl(url);
  if (!checkAccess || place.kind === 'file') return undefined;
  const { bucket } = place;
  const { overall, findings } = await reportAccess(url, values, context);
  const table = await findingsText(findings, { stdout: context.stderr, json: false });
  context.note(`access to ${bucket}: ${overall.toUpperCase()}\n${table.trimEnd()}`);
  const hint = `archiver access-check s3://${bucket} says what to do`;
  if (isAsBadAs(overall, failOn)) {
    const bad = findings.filter(({ severity }) => isAsBadAs(severity, failOn));
    throw new ArchiverError(
      'access-posture',
      `who may get at ${bucket} is ${overall.toUpperCase()}, and --fail-on is ${failOn}; nothing was sent: ${worded(bad)}`,
      { hint },
    );
  }
  const bad = findings.filter(({ severity }) => isAsBadAs(severity, 'warn'));
  if (bad.length > 0) context.warn(`${bucket}: ${worded(bad)}; ${hint}`);
  return { overall, findings };
}

const worded = (findings: readonly Finding[]): string =>
  findings.map(({ check, summary }) => `${check} (${summary})`).join(', ');
