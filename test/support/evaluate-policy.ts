// Whether policies allow a request, by the rules of AWS: an explicit Deny wins, then an Allow, and what nobody allows is denied.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
import type { PolicyDocument, PolicyStatement } from '../../src/core/fleet/bundle/policy-document.js';

export interface PolicyRequest {
  /** As policies have it: `s3:PutObject`. */
  readonly action: string;
  readonly resource: string;
  /** Condition keys that the request carries. */
  readonly keys: Readonly<Record<string, string>>;
}

/** `*` and `?` of a policy. */
function matches(pattern: string, text: string): boolean {
  const words = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${words}$`, 's').test(text);
}
const anyMatches = (patterns: readonly string[], text: string): boolean => patterns.some((one) => matches(one, text));

function holds(operator: string, value: string | undefined, wanted: readonly string[]): boolean {
  switch (operator) {
    case 'Null':
      return wanted.includes(String(value === undefined));
    case 'StringLike':
      return value !== undefined && anyMatches(wanted, value);
    case 'ArnLike': {
      const parts = value?.split(':') ?? [];
      return wanted.some((arn) => {
        const pieces = arn.split(':');
        return pieces.length === parts.length && pieces.every((piece, at) => matches(piece, parts[at] ?? ''));
      });
    }
    default:
      throw new Error(`the operator ${operator} is not known here`);
  }
}

function applies({ Action, Resource, Condition = {} }: PolicyStatement, request: PolicyRequest): boolean {
  const { action, resource, keys } = request;
  return (
    anyMatches(Action, action) &&
    anyMatches(Resource, resource) &&
    Object.entries(Condition).every(([operator, wanted]) =>
      Object.entries(wanted).every(([key, values]) => holds(operator, keys[key], [values].flat())),
    )
  );
}

/** What the policies of an identity and that of the bucket say together; a bucket policy that only denies may stand among them. */
export function isAllowed(policies: readonly PolicyDocument[], request: PolicyRequest): boolean {
  const about = policies.flatMap(({ Statement }) => Statement).filter((statement) => applies(statement, request));
  return about.some(({ Effect }) => Effect === 'Allow') && !about.some(({ Effect }) => Effect === 'Deny');
}
