// A small IAM in this process, for tests that need the real SDK over HTTP: users, managed policies and access keys, with the errors that
// IAM gives for what exists, does not, or is still in use. It checks no signatures.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IamUser {
  readonly arn: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly keys: string[];
  readonly attached: string[];
  readonly inline: string[];
  readonly groups: string[];
}

export interface IamPolicy {
  readonly arn: string;
  readonly tags: ReadonlyMap<string, string>;
  /** Texts by version; the last one is the default. */
  readonly versions: Map<string, string>;
}

export interface MemoryIam {
  readonly endpoint: string;
  readonly users: Map<string, IamUser>;
  readonly policies: Map<string, IamPolicy>;
  /** Actions that were asked for. */
  readonly asked: string[];
  /** From now on this action fails; `isDone`: after it was done, as when an answer is lost. */
  fail(action: string, code: string, isDone?: boolean): void;
  /** Everything works again. */
  heal(): void;
  close(): Promise<void>;
}

type Form = URLSearchParams;
type Answer = string | { readonly status: number; readonly code: string };

const ACCOUNT = '123456789012';
const refused = (status: number, code: string): Answer => ({ status, code });
const NONE = refused(404, 'NoSuchEntity');
const TAKEN = refused(409, 'EntityAlreadyExists');
const IN_USE = refused(409, 'DeleteConflict');
const member = (inner: string): string => `<member>${inner}</member>`;
const list = (name: string, members: readonly string[]): string =>
  `<${name}>${members.map(member).join('')}</${name}><IsTruncated>false</IsTruncated>`;
const tag = (name: string, text: string): string =>
  `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;

const listed = (name: string, of: string, members: readonly string[]): string =>
  list(
    name,
    members.map((one) => tag(of, one)),
  );

function tagsIn(form: Form): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (let at = 1; form.has(`Tags.member.${at}.Key`); at += 1)
    tags.set(form.get(`Tags.member.${at}.Key`) ?? '', form.get(`Tags.member.${at}.Value`) ?? '');
  return tags;
}
const tagXml = (tags: ReadonlyMap<string, string>): string =>
  `<Tags>${[...tags].map(([name, value]) => member(tag('Key', name) + tag('Value', value))).join('')}</Tags>`;

type OfUser = (user: IamUser, form: Form, account: Account) => Answer;
type OfPolicy = (policy: IamPolicy, form: Form, account: Account) => Answer;

const nameIn = (form: Form): string => form.get('UserName') ?? '';
const arnIn = (form: Form): string => form.get('PolicyArn') ?? '';

function drop(from: string[], what: string | null): Answer {
  const at = from.indexOf(what ?? '');
  if (at < 0) return NONE;
  from.splice(at, 1);
  return '';
}

function addKey({ keys }: IamUser, account: Account): Answer {
  if (keys.length >= 2) return refused(409, 'LimitExceeded');
  account.keys += 1;
  const id = `AKIATEST${String(account.keys).padStart(8, '0')}`;
  keys.push(id);
  return `<AccessKey>${tag('AccessKeyId', id)}${tag('SecretAccessKey', `secret-of-${id}`)}</AccessKey>`;
}

function deleteUser({ keys, attached, inline, groups }: IamUser, form: Form, account: Account): Answer {
  if ([keys, attached, inline, groups].some(({ length }) => length > 0)) return IN_USE;
  account.users.delete(nameIn(form));
  return '';
}

function attach({ attached }: IamUser, form: Form, account: Account): Answer {
  if (!account.policies.has(arnIn(form))) return NONE;
  if (!attached.includes(arnIn(form))) attached.push(arnIn(form));
  return '';
}

const OF_USER: Readonly<Record<string, OfUser>> = {
  GetUser: ({ arn, tags }, form) => `<User>${tag('UserName', nameIn(form))}${tag('Arn', arn)}${tagXml(tags)}</User>`,
  DeleteUser: deleteUser,
  AttachUserPolicy: attach,
  DetachUserPolicy: ({ attached }, form) => drop(attached, arnIn(form)),
  ListAttachedUserPolicies: ({ attached }) => listed('AttachedPolicies', 'PolicyArn', attached),
  CreateAccessKey: (user, _form, account) => addKey(user, account),
  ListAccessKeys: ({ keys }) => listed('AccessKeyMetadata', 'AccessKeyId', keys),
  DeleteAccessKey: ({ keys }, form) => drop(keys, form.get('AccessKeyId')),
  ListUserPolicies: ({ inline }) => list('PolicyNames', inline),
  DeleteUserPolicy: ({ inline }, form) => drop(inline, form.get('PolicyName')),
  ListGroupsForUser: ({ groups }) => listed('Groups', 'GroupName', groups),
  RemoveUserFromGroup: ({ groups }, form) => drop(groups, form.get('GroupName')),
  DeleteLoginProfile: () => NONE,
  ListMFADevices: () => list('MFADevices', []),
  ListSigningCertificates: () => list('Certificates', []),
  ListSSHPublicKeys: () => list('SSHPublicKeys', []),
  ListServiceSpecificCredentials: () => list('ServiceSpecificCredentials', []),
};

function addVersion({ versions }: IamPolicy, form: Form): Answer {
  if (versions.size >= 5) return refused(409, 'LimitExceeded');
  const next = `v${Number([...versions.keys()].at(-1)?.slice(1)) + 1}`;
  versions.set(next, form.get('PolicyDocument') ?? '');
  return `<PolicyVersion>${tag('VersionId', next)}</PolicyVersion>`;
}

function deletePolicy({ arn, versions }: IamPolicy, _form: Form, { users, policies }: Account): Answer {
  if (versions.size > 1 || [...users.values()].some(({ attached }) => attached.includes(arn))) return IN_USE;
  policies.delete(arn);
  return '';
}

const OF_POLICY: Readonly<Record<string, OfPolicy>> = {
  GetPolicy: ({ arn, tags }) => `<Policy>${tag('Arn', arn)}${tagXml(tags)}</Policy>`,
  ListPolicyVersions: ({ versions }) => {
    const ids = [...versions.keys()];
    const isDefault = (id: string): string => tag('IsDefaultVersion', String(id === ids.at(-1)));
    return list(
      'Versions',
      ids.map((id) => tag('VersionId', id) + isDefault(id)),
    );
  },
  CreatePolicyVersion: addVersion,
  DeletePolicyVersion: ({ versions }, form) => (versions.delete(form.get('VersionId') ?? '') ? '' : NONE),
  DeletePolicy: deletePolicy,
};

class Account {
  readonly users = new Map<string, IamUser>();
  readonly policies = new Map<string, IamPolicy>();
  keys = 0;

  answer(action: string, form: Form): Answer {
    if (action === 'CreateUser') return this.createUser(form);
    if (action === 'CreatePolicy') return this.createPolicy(form);
    if (action === 'ListPolicies') return this.listPolicies(form);
    const ofUser = OF_USER[action];
    const user = this.users.get(nameIn(form));
    if (ofUser) return user ? ofUser(user, form, this) : NONE;
    const ofPolicy = OF_POLICY[action];
    const policy = this.policies.get(arnIn(form));
    if (ofPolicy) return policy ? ofPolicy(policy, form, this) : NONE;
    return refused(400, 'InvalidAction');
  }

  private createUser(form: Form): Answer {
    const name = nameIn(form);
    if (this.users.has(name)) return TAKEN;
    const arn = `arn:aws:iam::${ACCOUNT}:user${form.get('Path') ?? '/'}${name}`;
    this.users.set(name, { arn, tags: tagsIn(form), keys: [], attached: [], inline: [], groups: [] });
    return `<User>${tag('UserName', name)}${tag('Arn', arn)}</User>`;
  }

  private createPolicy(form: Form): Answer {
    const name = form.get('PolicyName') ?? '';
    const arn = `arn:aws:iam::${ACCOUNT}:policy${form.get('Path') ?? '/'}${name}`;
    if (this.policies.has(arn)) return TAKEN;
    this.policies.set(arn, { arn, tags: tagsIn(form), versions: new Map([['v1', form.get('PolicyDocument') ?? '']]) });
    return `<Policy>${tag('PolicyName', name)}${tag('Arn', arn)}</Policy>`;
  }

  private listPolicies(form: Form): Answer {
    const path = `:policy${form.get('PathPrefix') ?? '/'}`;
    const found = [...this.policies.keys()].filter((one) => one.includes(path));
    return list(
      'Policies',
      found.map((one) => tag('Arn', one) + tag('PolicyName', one.slice(one.lastIndexOf('/') + 1))),
    );
  }
}

/** Starts it. */
export async function startMemoryIam(): Promise<MemoryIam> {
  const account = new Account();
  const asked: string[] = [];
  const failures = new Map<string, { readonly code: string; readonly isDone: boolean }>();
  const answer = (form: Form): Answer => {
    const action = form.get('Action') ?? '';
    asked.push(action);
    const failure = failures.get(action);
    const done = failure?.isDone === false ? '' : account.answer(action, form);
    return failure === undefined ? done : refused(400, failure.code);
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(parts).toString());
      const action = form.get('Action') ?? '';
      const said = answer(form);
      response.setHeader('content-type', 'text/xml');
      response.statusCode = typeof said === 'string' ? 200 : said.status;
      response.end(
        typeof said === 'string'
          ? `<${action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><${action}Result>${said}</${action}Result></${action}Response>`
          : `<ErrorResponse><Error><Type>Sender</Type><Code>${said.code}</Code><Message>${said.code} by the test</Message></Error></ErrorResponse>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    users: account.users,
    policies: account.policies,
    asked,
    fail: (action, code, isDone = false) => void failures.set(action, { code, isDone }),
    heal: () => failures.clear(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
