// Judges whether a bucket keeps overwritten and deleted objects. Pure.
import type { PostureAnswers } from '../store/bucket-posture.js';
import { printable } from '../platform/paths/raw-path.js';
import { type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding, type Severity } from './finding.js';

export interface VersioningScale {
  /** Severity when nothing is kept. */
  readonly severity?: Severity;
  /** True when the store does not have versions. */
  readonly isLacking?: boolean;
}

const LACKING =
  'What is overwritten or deleted is gone for good, and this store keeps no versions: keep a copy elsewhere.';

export function judgeVersioning(
  { status, mfaDelete }: PostureAnswers['versioning'],
  place: CommandPlace,
  { severity = 'info', isLacking = false }: VersioningScale = {},
): Finding {
  const check = 'versioning';
  const remediation = s3Command('put-bucket-versioning', ['--versioning-configuration', 'Status=Enabled'], place);
  switch (status) {
    case 'Enabled':
      return finding(check, 'ok', mfaDelete === 'Enabled' ? 'on, with MFA delete' : 'on');
    case undefined:
    case 'Suspended':
      if (isLacking) return finding(check, severity, 'the store has none', { detail: LACKING });
      return finding(check, severity, status === undefined ? 'never turned on' : 'suspended', {
        detail: 'What is overwritten or deleted is gone for good.',
        remediation,
      });
    default:
      return finding(check, 'unknown', 'cannot be understood', {
        detail: `The bucket says ${printable(status)}.`,
        remediation,
      });
  }
}
