// Whether a bucket keeps what is overwritten and deleted. Pure.
import type { PostureAnswers } from '../store/bucket-posture.js';
import { printable } from '../platform/paths/raw-path.js';
import { type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding, type Severity } from './finding.js';

/** `severity`: how bad it is that nothing is kept. */
export function judgeVersioning(
  { status, mfaDelete }: PostureAnswers['versioning'],
  place: CommandPlace,
  severity: Severity = 'info',
): Finding {
  const check = 'versioning';
  const remediation = s3Command('put-bucket-versioning', ['--versioning-configuration', 'Status=Enabled'], place);
  switch (status) {
    case 'Enabled':
      return finding(check, 'ok', mfaDelete === 'Enabled' ? 'on, with MFA delete' : 'on');
    case undefined:
    case 'Suspended':
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
