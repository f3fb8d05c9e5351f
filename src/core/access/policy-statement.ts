// Parses policies of buckets and keys into statements. Anything that does not exactly match the statements that AWS writes is marked as
// odd, and an odd statement is never taken for harmless.

export interface Principals {
  /** Everybody, including anonymous callers: `*`, or a principal that is not fixed, such as a web identity. */
  readonly isAnyone: boolean;
  /** True for a form that AWS does not have. */
  readonly isOdd: boolean;
  /** Ids of AWS accounts that are named. */
  readonly accounts: readonly string[];
}

/** Condition values by operator and key, both as written. */
export type Conditions = readonly {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly unknown[];
}[];

export interface Statement {
  /** `Sid`, or the position: `statement 2`. */
  readonly name: string;
  readonly isAllow: boolean;
  readonly principals: Principals;
  /** Undefined when they are not understood. */
  readonly conditions: Conditions | undefined;
  /** True when something in it is not as AWS writes it. */
  readonly isOdd: boolean;
}

const KEYS = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);
const DOCUMENT_KEYS = new Set(['Version', 'Id', 'Statement']);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns one or several strings as a list; undefined for anything else, or when there are none. */
function textsOf(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((one): one is string => typeof one === 'string') ? list : undefined;
}

/** Returns the statements of a policy; undefined when it is not a policy. A single statement may stand without a list. */
export function statementsOf(policy: string): readonly Statement[] | undefined {
  const document = parsed(policy);
  if (!isFields(document) || Object.keys(document).some((key) => !DOCUMENT_KEYS.has(key))) return undefined;
  const { Statement: given } = document;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length === 0 || !list.every(isFields)) return undefined;
  return list.map((one, index) => statementOf(one, `statement ${index + 1}`));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // judged by the caller as not a policy
  }
}

/** True when every part is present, once, and of the right type. */
function isWhole(fields: Fields): boolean {
  const isOneOf = (a: string, b: string): boolean => Object.hasOwn(fields, a) !== Object.hasOwn(fields, b);
  const hasTexts = (a: string, b: string): boolean => isOneOf(a, b) && textsOf(fields[a] ?? fields[b]) !== undefined;
  const { Sid, Effect } = fields;
  return (
    isOneOf('Principal', 'NotPrincipal') &&
    hasTexts('Action', 'NotAction') &&
    hasTexts('Resource', 'NotResource') &&
    Object.keys(fields).every((key) => KEYS.has(key)) &&
    (Sid === undefined || typeof Sid === 'string') &&
    (Effect === 'Allow' || Effect === 'Deny')
  );
}

function statementOf(fields: Fields, place: string): Statement {
  const { Sid, Effect, Principal, NotPrincipal, Condition } = fields;
  const conditions = Condition === undefined ? [] : conditionsOf(Condition);
  const principals = NotPrincipal === undefined ? principalsOf(Principal) : { ...NOBODY, isAnyone: true };
  return {
    name: typeof Sid === 'string' && Sid !== '' ? Sid : place,
    // Anything that is not exactly Deny may allow something.
    isAllow: Effect !== 'Deny',
    principals,
    conditions,
    isOdd: !isWhole(fields) || principals.isOdd || conditions === undefined,
  };
}

const NOBODY: Principals = { isAnyone: false, isOdd: false, accounts: [] };
const ODD: Principals = { ...NOBODY, isOdd: true };
const ACCOUNT = /^\d{12}$/;
/** Matches `arn:aws:iam::123456789012:role/name`. Lookalikes of other services have a tenant, or nothing, instead of the account. */
const ARN =
  /^arn:aws[a-z-]*:(?:iam|sts)::([\w-]*):(?:root|(?:user|group|role|assumed-role|federated-user)\/[\w+=,.@/-]+)$/;
/** Matches the id of a deleted user or role. */
const UNIQUE_ID = /^A[A-Z0-9]{15,127}$/;
const SERVICE = /^[a-z0-9][a-z0-9.-]*\.amazonaws\.com(?:\.cn)?$/;
const CANONICAL = /^[0-9a-f]{32,128}$/;
const SAML = /^arn:aws[a-z-]*:iam::(\d{12}):saml-provider\/[\w.-]+$/;

function principalsOf(principal: unknown): Principals {
  if (principal === '*') return { ...NOBODY, isAnyone: true };
  if (!isFields(principal) || Object.keys(principal).length === 0) return ODD;
  return Object.entries(principal)
    .flatMap(([kind, names]) => (textsOf(names) ?? [undefined]).map((name) => principalOf(kind, name)))
    .reduce((all, one) => ({
      isAnyone: all.isAnyone || one.isAnyone,
      isOdd: all.isOdd || one.isOdd,
      accounts: [...all.accounts, ...one.accounts],
    }));
}

function principalOf(kind: string, name: string | undefined): Principals {
  if (name === undefined) return ODD;
  // No kind of principal can contain a wildcard or a variable, so nobody certain is named.
  if (/[*?]|\$\{/.test(name)) return { ...NOBODY, isAnyone: true };
  const named = (account: string | undefined): Principals => ({
    ...NOBODY,
    accounts: account === undefined || account === '' ? [] : [account],
  });
  switch (kind) {
    case 'AWS': {
      if (ACCOUNT.test(name)) return named(name);
      const [arn, account] = ARN.exec(name) ?? [];
      return arn !== undefined || UNIQUE_ID.test(name) ? named(account) : ODD;
    }
    case 'Service':
      return SERVICE.test(name) ? NOBODY : ODD;
    case 'CanonicalUser':
      return CANONICAL.test(name) ? NOBODY : ODD;
    case 'Federated': {
      const [saml, account] = SAML.exec(name) ?? [];
      // Anybody can sign on with a web identity.
      return saml === undefined ? { ...NOBODY, isAnyone: true } : named(account);
    }
    default:
      return ODD;
  }
}

function conditionsOf(condition: unknown): Conditions | undefined {
  if (!isFields(condition)) return undefined;
  const found: { operator: string; key: string; values: readonly unknown[] }[] = [];
  for (const [operator, keys] of Object.entries(condition)) {
    if (!isFields(keys)) return undefined;
    for (const [key, value] of Object.entries(keys))
      found.push({ operator, key, values: Array.isArray(value) ? (value as readonly unknown[]) : [value] });
  }
  return found;
}
