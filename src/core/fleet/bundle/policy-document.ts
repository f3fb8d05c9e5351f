// Types of policies as AWS reads them, and the limit of their size.
import { usageError } from '../../platform/failures/errors.js';

export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: '*';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** IAM's quota for a managed policy, in characters without white space. */
export const MAX_POLICY = 6144;

/** Returns the shortest text, as IAM counts it. @throws usage when it is longer than IAM allows */
export function policyText(policy: PolicyDocument): string {
  const text = JSON.stringify(policy);
  if (text.length <= MAX_POLICY) return text;
  throw usageError(`the policy has ${text.length} characters, and IAM takes ${MAX_POLICY}`, 'choose a shorter prefix');
}

/** Returns the policy as readable text. */
export const policyLines = (policy: PolicyDocument): string => `${JSON.stringify(policy, undefined, 2)}\n`;
