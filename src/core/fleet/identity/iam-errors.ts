// Turns failures of IAM, its SDK and the network into one sentence about one action, with a next step.
import { ArchiverError, type ErrorCode } from '../../platform/failures/errors.js';
import { awsServiceError } from '../../store/s3/aws-service-error.js';

const CODES: Readonly<Record<string, ErrorCode>> = {
  NoSuchEntity: 'not-found',
  EntityAlreadyExists: 'conflict',
  DeleteConflict: 'conflict',
};

const limitHint = (action: string): string =>
  action === 'CreateAccessKey'
    ? 'a user has at most two access keys: delete one that is not used any more, or take the writer down with `fleetagent scuttle`'
    : 'ask AWS for a higher quota, or delete what is not used any more';

/** Converts a failure of an IAM request. An ArchiverError passes through; an abort becomes `cancelled`. */
export function iamError(action: string, error: unknown): Error {
  const name = error instanceof Error ? error.name.replace(/Exception$/, '') : '';
  const hint = name.startsWith('LimitExceeded') ? { hint: limitHint(action) } : {};
  const named = awsServiceError(error, { asked: `iam:${action}`, ...hint });
  const code = CODES[name];
  return code === undefined ? named : new ArchiverError(code, named.message, { cause: named.cause });
}
