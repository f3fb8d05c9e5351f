// Turns what IAM, its SDK and the network say into one sentence about one action, with a next step.
import { ArchiverError, cancelledError, type ErrorCode, errorText, isArchiverError } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';

interface Verdict {
  /** What names of errors begin with. */
  readonly names: RegExp;
  readonly code: ErrorCode;
  readonly hint?: (action: string) => string;
}

const VERDICTS: readonly Verdict[] = [
  { names: /^NoSuchEntity/, code: 'not-found' },
  { names: /^(?:EntityAlreadyExists|DeleteConflict)/, code: 'conflict' },
  { names: /^AccessDenied/, code: 'access-denied', hint: (action) => `the credentials need iam:${action}` },
  {
    names: /^LimitExceeded/,
    code: 'store',
    hint: (action) =>
      action === 'CreateAccessKey'
        ? 'a user has at most two access keys: delete one that is not used any more, or take the writer down with `fleetagent scuttle`'
        : 'ask AWS for a higher quota, or delete what is not used any more',
  },
  {
    names:
      /^(?:InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken|UnrecognizedClient|IncompleteSignature|AuthFailure)/,
    code: 'access-denied',
    hint: () => 'check the access key and the secret key, or name another profile with --profile',
  },
  {
    names: /credentials/i,
    code: 'access-denied',
    hint: () => 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile',
  },
];

/** Names a failure of an IAM request. An ArchiverError passes through; an abort becomes `cancelled`. */
export function iamError(action: string, error: unknown): Error {
  if (isArchiverError(error)) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return cancelledError();
  const { code, hint } = VERDICTS.find(({ names }) => names.test(name)) ?? { code: 'store', hint: undefined };
  const kind = name === '' || name === 'Error' ? '' : ` (${name})`;
  // The SDK's error holds the whole exchange, signed headers and secrets included: only what it says is kept.
  const cause = Object.assign(new Error(errorText(error)), { name });
  return new ArchiverError(code, `iam:${action}: ${printable(errorText(error))}${kind}`, {
    hint: hint?.(action),
    cause,
  });
}
