// Policies of buckets by AWS' own definition of public. A policy that is not understood is `unknown` and never `ok`.
import {
  array,
  boolean,
  check,
  type IRawProperty,
  constantFrom,
  dictionary,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeBucketPolicy } from '../../../src/core/access/judge-grants.js';
import { statementsOf } from '../../../src/core/access/policy-statement.js';
import type { EffectiveBlock } from '../../../src/core/access/public-access.js';
import { policy, statement, to, when } from './policies.js';

const OFF: EffectiveBlock = {
  BlockPublicAcls: 'off',
  IgnorePublicAcls: 'off',
  BlockPublicPolicy: 'off',
  RestrictPublicBuckets: 'off',
};
const PLACE = { bucket: 'acme' };
const judge = (text: string | undefined, block = OFF) => judgeBucketPolicy(text, block, PLACE);

const ACCOUNT = '123456789012';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/reader`;
const DENY = statement({ Effect: 'Deny' });
const POINT = `arn:aws:s3:eu-west-1:${ACCOUNT}:accesspoint/`;

const CASES: readonly (readonly [string, string | undefined, 'ok' | 'info' | 'unknown' | 'critical'])[] = [
  ['no policy', undefined, 'ok'],
  ['anybody', policy(statement()), 'critical'],
  ['anybody, as {"AWS":"*"}', to({ AWS: '*' }), 'critical'],
  ['anybody in a list', to({ AWS: [ACCOUNT, '*'] }), 'critical'],
  [
    'anybody, in a single statement without a list',
    JSON.stringify({ Version: '2012-10-17', Statement: statement() }),
    'critical',
  ],
  ['anybody beside a harmless statement', policy(statement({ Principal: { AWS: ROLE } }), statement()), 'critical'],
  ['anybody beside a Deny for all', policy(DENY, statement()), 'critical'],
  ['NotPrincipal', policy(statement({ Principal: undefined, NotPrincipal: { AWS: ROLE } })), 'critical'],
  [
    'NotPrincipal with a fixed account',
    policy(
      statement({
        Principal: undefined,
        NotPrincipal: { AWS: ROLE },
        Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } },
      }),
    ),
    'info',
  ],
  ['a wildcard inside an ARN', to({ AWS: 'arn:aws:iam::*:root' }), 'critical'],
  ['a question mark inside an ARN', to({ AWS: `arn:aws:iam::${ACCOUNT}:role/reade?` }), 'critical'],
  ['a variable for a principal', to({ AWS: '${aws:PrincipalArn}' }), 'critical'],
  ['any service', to({ Service: '*' }), 'critical'],
  ['a web identity', to({ Federated: 'cognito-identity.amazonaws.com' }), 'critical'],
  ['an OIDC provider', to({ Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/example.org` }), 'critical'],
  ['a SAML provider', to({ Federated: `arn:aws:iam::${ACCOUNT}:saml-provider/work` }), 'ok'],
  ['an account', to({ AWS: ACCOUNT }), 'ok'],
  ['the root of an account', to({ AWS: `arn:aws:iam::${ACCOUNT}:root` }), 'ok'],
  ['a role', to({ AWS: ROLE }), 'ok'],
  ['a user of a lookalike without accounts', to({ AWS: ['arn:aws:iam:::user/limited'] }), 'ok'],
  ['a role that is gone', to({ AWS: 'AROAEXAMPLEEXAMPLE12' }), 'ok'],
  ['a service', to({ Service: 'logging.s3.amazonaws.com' }), 'ok'],
  ['a canonical user', to({ CanonicalUser: 'a'.repeat(64) }), 'ok'],
  ['a Deny for all', policy(DENY), 'ok'],
  ['a fixed account', when('StringEquals', 'aws:SourceAccount', ACCOUNT), 'info'],
  ['a key in other letters', when('StringEquals', 'AWS:sourceaccount', ACCOUNT), 'info'],
  ['several fixed accounts', when('StringEquals', 'aws:SourceAccount', [ACCOUNT, '210987654321']), 'info'],
  ['a fixed account among wildcards', when('StringLike', 'aws:SourceAccount', [ACCOUNT, '*']), 'critical'],
  ['an account with a wildcard', when('StringLike', 'aws:SourceAccount', '1234*'), 'critical'],
  ['no account', when('StringEquals', 'aws:SourceAccount', []), 'critical'],
  ['an empty account', when('StringEquals', 'aws:SourceAccount', ''), 'critical'],
  ['an account as a number', when('StringEquals', 'aws:SourceAccount', Number(ACCOUNT)), 'critical'],
  ['a variable for an account', when('StringEquals', 'aws:SourceAccount', '${aws:PrincipalAccount}'), 'critical'],
  ['a fixed source owner', when('StringEquals', 'aws:SourceOwner', ACCOUNT), 'info'],
  ['an organization', when('StringEquals', 'aws:PrincipalOrgID', 'o-abcdef1234'), 'info'],
  ['any organization', when('StringLike', 'aws:PrincipalOrgID', 'o-*'), 'critical'],
  ['a network', when('StringEquals', 'aws:SourceVpc', 'vpc-91237329'), 'info'],
  ['any network', when('StringLike', 'aws:SourceVpc', 'vpc-*'), 'critical'],
  ['an endpoint of a network', when('StringEquals', 'aws:SourceVpce', 'vpce-1a2b3c4d'), 'info'],
  ['a source', when('ArnEquals', 'aws:SourceArn', 'arn:aws:sns:eu-west-1:123456789012:topic'), 'info'],
  ['a bucket as a source', when('ArnLike', 'aws:SourceArn', 'arn:aws:s3:::logs'), 'info'],
  ['any source of an account', when('ArnLike', 'aws:SourceArn', `arn:aws:sns:*:${ACCOUNT}:*`), 'critical'],
  ['a user id', when('StringEquals', 'aws:userid', 'AIDAEXAMPLEEXAMPLE12'), 'info'],
  ['any session of a role', when('StringLike', 'aws:userid', 'AROAEXAMPLEEXAMPLE12:*'), 'critical'],
  [
    'a KMS key',
    when('StringEquals', 's3:x-amz-server-side-encryption-aws-kms-key-id', `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234`),
    'info',
  ],
  ['any access point of an account', when('ArnLike', 's3:DataAccessPointArn', `${POINT}*`), 'info'],
  [
    'access points of any account',
    when('ArnLike', 's3:DataAccessPointArn', 'arn:aws:s3:eu-west-1:*:accesspoint/x'),
    'critical',
  ],
  ['access points owned by an account', when('StringEquals', 's3:DataAccessPointAccount', ACCOUNT), 'info'],
  ['one address', when('IpAddress', 'aws:SourceIp', '203.0.113.9'), 'info'],
  ['a /24', when('IpAddress', 'aws:SourceIp', '203.0.113.0/24'), 'info'],
  ['a /8', when('IpAddress', 'aws:SourceIp', '11.0.0.0/8'), 'info'],
  ['a /7', when('IpAddress', 'aws:SourceIp', '12.0.0.0/7'), 'critical'],
  ['all addresses', when('IpAddress', 'aws:SourceIp', '0.0.0.0/0'), 'critical'],
  ['both halves of all addresses', when('IpAddress', 'aws:SourceIp', ['0.0.0.0/1', '128.0.0.0/1']), 'critical'],
  ['a narrow range beside all', when('IpAddress', 'aws:SourceIp', ['203.0.113.0/24', '0.0.0.0/0']), 'critical'],
  ['private addresses', when('IpAddress', 'aws:SourceIp', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']), 'info'],
  ['an IPv6 /32', when('IpAddress', 'aws:SourceIp', '2001:db8::/32'), 'info'],
  ['an IPv6 /31', when('IpAddress', 'aws:SourceIp', '2001:db8::/31'), 'critical'],
  ['all of IPv6', when('IpAddress', 'aws:SourceIp', '::/0'), 'critical'],
  ['a /33 that is none', when('IpAddress', 'aws:SourceIp', '203.0.113.0/33'), 'critical'],
  ['a /024 that is none', when('IpAddress', 'aws:SourceIp', '203.0.113.0/024'), 'critical'],
  ['half an address', when('IpAddress', 'aws:SourceIp', '203.0.113'), 'critical'],
  ['an address that is only excluded', when('NotIpAddress', 'aws:SourceIp', '203.0.113.0/24'), 'critical'],
  ['an address compared as text', when('StringEquals', 'aws:SourceIp', '203.0.113.9'), 'critical'],
  ['a condition that AWS does not count', when('Bool', 'aws:SecureTransport', 'true'), 'critical'],
  ['a referer', when('StringLike', 'aws:Referer', 'https://example.org/'), 'critical'],
  ['the ARN of a principal, which AWS does not count', when('ArnEquals', 'aws:PrincipalArn', ROLE), 'critical'],
  ['an account where there is one', when('StringEqualsIfExists', 'aws:SourceAccount', ACCOUNT), 'critical'],
  ['an account that is excluded', when('StringNotEquals', 'aws:SourceAccount', ACCOUNT), 'critical'],
  ['any of several values', when('ForAnyValue:StringEquals', 'aws:SourceVpc', 'vpc-91237329'), 'critical'],
  ['all of several values, or none', when('ForAllValues:StringEquals', 'aws:SourceVpc', 'vpc-91237329'), 'critical'],
  ['a key that is there', when('Null', 'aws:SourceAccount', 'false'), 'critical'],
  ['a condition that is empty', policy(statement({ Condition: {} })), 'critical'],
  ['a condition that is none', policy(statement({ Condition: 'aws:SourceAccount' })), 'critical'],
  [
    'one of two conditions',
    policy(
      statement({
        Condition: { Bool: { 'aws:SecureTransport': 'true' }, StringEquals: { 'aws:SourceVpc': 'vpc-91237329' } },
      }),
    ),
    'info',
  ],
  ['no JSON', '{"Version":', 'unknown'],
  ['nothing', '', 'unknown'],
  ['a list', '[]', 'unknown'],
  ['null', 'null', 'unknown'],
  ['no statement', '{"Version":"2012-10-17"}', 'unknown'],
  ['an empty list of statements', policy(), 'unknown'],
  ['statements that are none', policy('Allow'), 'unknown'],
  ['a field of the document that is not known', '{"Statement":[],"Statements":[]}', 'unknown'],
  ['an effect that is none', policy(statement({ Effect: 'Permit', Principal: { AWS: ROLE } })), 'unknown'],
  ['an effect in small letters, for anybody', policy(statement({ Effect: 'deny' })), 'critical'],
  ['no principal', policy(statement({ Principal: undefined })), 'unknown'],
  ['an empty principal', to({}), 'unknown'],
  ['a principal that is no principal', to('anonymous'), 'unknown'],
  ['a kind of principal that is not known', to({ Group: 'all' }), 'unknown'],
  ['an account of eleven digits', to({ AWS: '12345678901' }), 'unknown'],
  ['a service somewhere else', to({ Service: 'example.org' }), 'unknown'],
  ['no action', policy(statement({ Action: undefined, Principal: { AWS: ROLE } })), 'unknown'],
  ['a field that is not known', policy(statement({ Conditions: {}, Principal: { AWS: ROLE } })), 'unknown'],
  [
    'a principal and its opposite',
    policy(statement({ Principal: { AWS: ROLE }, NotPrincipal: { AWS: ROLE } })),
    'critical',
  ],
];

describe('the policy of a bucket', () => {
  test.each(CASES)('%s', (_name, text, severity) => {
    expect(judge(text).severity).toBe(severity);
  });

  test('what is public names its statements and how to cut it off', () => {
    const found = judge(policy(statement({ Sid: 'everyone' }), statement({ Principal: { AWS: ROLE } }), statement()));

    expect(found.detail).toContain('everyone, statement 3 allows anybody');
    expect(found.remediation).toMatch(/^aws s3api put-public-access-block --bucket acme .*RestrictPublicBuckets=true$/);
  });

  test('Block Public Access mitigates; where it is not known, that is said', () => {
    const open = policy(statement());

    expect(judge(open, { ...OFF, RestrictPublicBuckets: 'on' }).severity).toBe('warn');
    const unsure = judge(open, { ...OFF, RestrictPublicBuckets: 'unknown' });
    expect([unsure.severity, unsure.detail]).toEqual(['critical', expect.stringContaining('is not known')]);
  });
});

describe('garbage', () => {
  const counterexample = (claim: IRawProperty<unknown, false>, numRuns: number): unknown =>
    check(claim, { numRuns }).counterexample;

  /** Written a second time and otherwise: every Allow has a principal without wildcards, of a kind and form that there is. */
  const isHarmless = (text: string): boolean =>
    (statementsOf(text) ?? []).length > 0 &&
    [(JSON.parse(text) as { Statement: Record<string, unknown>[] }).Statement].flat().every(({ Effect, Principal }) => {
      if (Effect === 'Deny') return true;
      const names = Object.entries(Principal as object).flatMap(([kind, list]: [string, unknown]) =>
        [list].flat().map((name) => `${kind} ${String(name)}`),
      );
      const isFixed = (name: string): boolean =>
        /^(?:AWS (?:\d{12}|arn:aws\S*:\S*|A[A-Z0-9]{15,})|Service \S+\.amazonaws\.com\S*|CanonicalUser [0-9a-f]{32,})$/.test(
          name,
        ) && !/[*?$]/.test(name);
      return Effect === 'Allow' && names.length > 0 && names.every(isFixed);
    });

  test('a public policy with bytes changed, cut, doubled or swapped is never ok', () => {
    const open = [
      policy(statement()),
      to({ AWS: '*' }),
      when('IpAddress', 'aws:SourceIp', '0.0.0.0/0'),
      policy(DENY, statement()),
    ];
    const edit = record({
      at: nat(400),
      length: nat(6),
      text: oneof(
        constantFrom('', '"', '{', '}', '[', ']', ',', ':', '*', 'null', 'Deny', '\\u0000'),
        string({ maxLength: 4 }),
      ),
    });
    expect(
      counterexample(
        property(constantFrom(...open), array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
          const garbled = edits.reduce(
            (now, { at, length, text: put }) =>
              now.slice(0, at % now.length) + put + now.slice((at % now.length) + length) || 'x',
            text,
          );
          return judge(garbled).severity !== 'ok' || isHarmless(garbled);
        }),
        20_000,
      ),
    ).toBeNull();
  });

  test('fields of any kind beside or inside an Allow for anybody never make it ok', () => {
    const field = constantFrom('Sid', 'Action', 'Resource', 'Condition', 'NotAction', 'Version', 'x');
    expect(
      counterexample(
        property(dictionary(field, jsonValue(), { maxKeys: 4 }), boolean(), (fields, isSingle) => {
          const one = statement(fields);
          const text = isSingle ? JSON.stringify({ Statement: one }) : policy(DENY, one);
          return judge(text).severity !== 'ok';
        }),
        5000,
      ),
    ).toBeNull();
  });

  test('any JSON for a policy, a principal or a statement is judged, and never ok without a fixed principal', () => {
    expect(
      counterexample(
        property(jsonValue(), (value) => {
          const texts = [JSON.stringify(value), policy(value), to(value), policy(statement({ Effect: value }))];
          return texts.every((text) => judge(text).severity !== 'ok' || isHarmless(text));
        }),
        5000,
      ),
    ).toBeNull();
  });
});
