// AWS IAM. The only file that knows its SDK; credentials, profile and transport are those of S3. IAM is one service for all regions of a
// partition.
import {
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreatePolicyCommand,
  CreatePolicyVersionCommand,
  CreateUserCommand,
  DeactivateMFADeviceCommand,
  DeleteAccessKeyCommand,
  DeleteLoginProfileCommand,
  DeletePolicyCommand,
  DeletePolicyVersionCommand,
  DeleteServiceSpecificCredentialCommand,
  DeleteSigningCertificateCommand,
  DeleteSSHPublicKeyCommand,
  DeleteUserCommand,
  DeleteUserPolicyCommand,
  DetachUserPolicyCommand,
  GetPolicyCommand,
  GetUserCommand,
  IAMClient,
  ListAccessKeysCommand,
  ListAttachedUserPoliciesCommand,
  ListGroupsForUserCommand,
  ListMFADevicesCommand,
  ListPoliciesCommand,
  ListPolicyVersionsCommand,
  ListServiceSpecificCredentialsCommand,
  ListSigningCertificatesCommand,
  ListSSHPublicKeysCommand,
  ListUserPoliciesCommand,
  RemoveUserFromGroupCommand,
  type Tag,
} from '@aws-sdk/client-iam';
import { ArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { awsService } from '../../store/s3/aws-service.js';
import { networkOf, type NetworkSources } from '../../store/s3/s3-network.js';
import { tokenEndpoint } from '../../store/s3/s3-profile.js';
import { iamError } from './iam-errors.js';
import { type AccessKey, type Entity, type Iam, IDENTITY_PATH, type Tags } from './iam.js';

export interface IamSources extends NetworkSources {
  /** Determines the partition; IAM has no regions within one. */
  readonly region: string;
}

/** Opens IAM for `work`. @throws access-denied without credentials, and what `work` throws */
export async function withIam<T>(sources: IamSources, work: (iam: Iam) => Promise<T>): Promise<T> {
  const { env, profile, region } = sources;
  const endpoint = await tokenEndpoint('iam', sources);
  const settings = awsService({ env, profile, region, endpoint, network: await networkOf(sources) });
  try {
    // Creating a key is never retried: if its answer was lost, the first key would remain without anybody having its secret.
    return await work(iamOf(new IAMClient(settings), new IAMClient({ ...settings, maxAttempts: 1 })));
  } finally {
    settings.requestHandler.destroy();
  }
}

/** Awaits the answer, turning a failure into an error about this action. */
const withAction = async <T>(action: string, answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw iamError(action, error);
  }
};

const GONE = undefinedOn('not-found');
const listOf = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
const tagsOf = (tags: readonly Tag[] | undefined): Tags =>
  Object.fromEntries((tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));

interface Page {
  readonly IsTruncated?: boolean | undefined;
  readonly Marker?: string | undefined;
}

/** Returns all pages of a listing; none when the entity listed does not exist. */
async function everyPage<P extends Page>(
  action: string,
  page: (Marker: string | undefined) => Promise<P>,
): Promise<P[]> {
  const pages: P[] = [];
  let marker: string | undefined;
  do {
    const found = await withAction(action, page(marker)).catch(GONE);
    if (found === undefined) return pages;
    pages.push(found);
    const next = found.IsTruncated === true ? found.Marker : undefined;
    if (next !== undefined && next === marker)
      throw new ArchiverError('store', `iam:${action} gives the same page again and again`);
    marker = next;
  } while (marker !== undefined);
  return pages;
}

function iamOf(client: IAMClient, once: IAMClient): Iam {
  const deleteVersions = async (PolicyArn: string): Promise<void> => {
    const pages = await everyPage('ListPolicyVersions', (Marker) =>
      client.send(new ListPolicyVersionsCommand({ PolicyArn, Marker })),
    );
    for (const { VersionId, IsDefaultVersion } of pages.flatMap(({ Versions }) => Versions ?? [])) {
      if (IsDefaultVersion === true) continue;
      const command = new DeletePolicyVersionCommand({ PolicyArn, VersionId });
      await withAction('DeletePolicyVersion', client.send(command)).catch(GONE);
    }
  };
  const policyAt = async (PolicyArn: string): Promise<Entity | undefined> => {
    const found = await withAction('GetPolicy', client.send(new GetPolicyCommand({ PolicyArn }))).catch(GONE);
    return found?.Policy && { arn: PolicyArn, tags: tagsOf(found.Policy.Tags) };
  };
  return {
    async createPolicy(PolicyName, PolicyDocument, tags) {
      const input = { PolicyName, PolicyDocument, Path: IDENTITY_PATH, Tags: listOf(tags) };
      const { Policy } = await withAction('CreatePolicy', client.send(new CreatePolicyCommand(input)));
      return { arn: Policy?.Arn ?? '', tags };
    },
    // Searched by path and name, so that it is found even when its user is gone.
    async findPolicy(name) {
      const pages = await everyPage('ListPolicies', (Marker) =>
        client.send(new ListPoliciesCommand({ Scope: 'Local', PathPrefix: IDENTITY_PATH, Marker })),
      );
      const found = pages.flatMap(({ Policies }) => Policies ?? []).find(({ PolicyName }) => PolicyName === name);
      return found?.Arn === undefined ? undefined : await policyAt(found.Arn);
    },
    async replacePolicy(PolicyArn, PolicyDocument) {
      // IAM keeps at most five versions.
      await deleteVersions(PolicyArn);
      const input = { PolicyArn, PolicyDocument, SetAsDefault: true };
      await withAction('CreatePolicyVersion', client.send(new CreatePolicyVersionCommand(input)));
      await deleteVersions(PolicyArn);
    },
    async deletePolicy(PolicyArn) {
      await deleteVersions(PolicyArn);
      await withAction('DeletePolicy', client.send(new DeletePolicyCommand({ PolicyArn }))).catch(GONE);
    },
    async createUser(UserName, tags) {
      const input = { UserName, Path: IDENTITY_PATH, Tags: listOf(tags) };
      const { User } = await withAction('CreateUser', client.send(new CreateUserCommand(input)));
      return { arn: User?.Arn ?? '', tags };
    },
    async findUser(UserName) {
      const found = await withAction('GetUser', client.send(new GetUserCommand({ UserName }))).catch(GONE);
      return found?.User && { arn: found.User.Arn ?? '', tags: tagsOf(found.User.Tags) };
    },
    async attach(UserName, PolicyArn) {
      await withAction('AttachUserPolicy', client.send(new AttachUserPolicyCommand({ UserName, PolicyArn })));
    },
    async detach(UserName, PolicyArn) {
      await withAction('DetachUserPolicy', client.send(new DetachUserPolicyCommand({ UserName, PolicyArn }))).catch(
        GONE,
      );
    },
    async attachedPolicies(UserName) {
      const pages = await everyPage('ListAttachedUserPolicies', (Marker) =>
        client.send(new ListAttachedUserPoliciesCommand({ UserName, Marker })),
      );
      return pages.flatMap(({ AttachedPolicies }) => AttachedPolicies ?? []).map(({ PolicyArn = '' }) => PolicyArn);
    },
    async createKey(UserName): Promise<AccessKey> {
      const { AccessKey: key } = await withAction(
        'CreateAccessKey',
        once.send(new CreateAccessKeyCommand({ UserName })),
      );
      return { accessKeyId: key?.AccessKeyId ?? '', secretAccessKey: key?.SecretAccessKey ?? '' };
    },
    async keysOf(UserName) {
      const pages = await everyPage('ListAccessKeys', (Marker) =>
        client.send(new ListAccessKeysCommand({ UserName, Marker })),
      );
      return pages
        .flatMap(({ AccessKeyMetadata }) => AccessKeyMetadata ?? [])
        .map(({ AccessKeyId = '' }) => AccessKeyId);
    },
    async deleteKey(UserName, AccessKeyId) {
      await withAction('DeleteAccessKey', client.send(new DeleteAccessKeyCommand({ UserName, AccessKeyId }))).catch(
        GONE,
      );
    },
    strip: (user) => strip(client, user),
    async deleteUser(UserName) {
      await withAction('DeleteUser', client.send(new DeleteUserCommand({ UserName }))).catch(GONE);
    },
  };
}

/** Removes whatever people may have added to a user since. */
async function strip(client: IAMClient, UserName: string): Promise<void> {
  const inline = await everyPage('ListUserPolicies', (Marker) =>
    client.send(new ListUserPoliciesCommand({ UserName, Marker })),
  );
  for (const PolicyName of inline.flatMap(({ PolicyNames }) => PolicyNames ?? []))
    await withAction('DeleteUserPolicy', client.send(new DeleteUserPolicyCommand({ UserName, PolicyName }))).catch(
      GONE,
    );
  const groups = await everyPage('ListGroupsForUser', (Marker) =>
    client.send(new ListGroupsForUserCommand({ UserName, Marker })),
  );
  for (const { GroupName } of groups.flatMap(({ Groups }) => Groups ?? []))
    await withAction('RemoveUserFromGroup', client.send(new RemoveUserFromGroupCommand({ UserName, GroupName }))).catch(
      GONE,
    );
  await withAction('DeleteLoginProfile', client.send(new DeleteLoginProfileCommand({ UserName }))).catch(GONE);
  const devices = await everyPage('ListMFADevices', (Marker) =>
    client.send(new ListMFADevicesCommand({ UserName, Marker })),
  );
  for (const { SerialNumber } of devices.flatMap(({ MFADevices }) => MFADevices ?? [])) {
    const command = new DeactivateMFADeviceCommand({ UserName, SerialNumber });
    await withAction('DeactivateMFADevice', client.send(command)).catch(GONE);
  }
  await stripKeys(client, UserName);
}

async function stripKeys(client: IAMClient, UserName: string): Promise<void> {
  const certificates = await everyPage('ListSigningCertificates', (Marker) =>
    client.send(new ListSigningCertificatesCommand({ UserName, Marker })),
  );
  for (const { CertificateId } of certificates.flatMap(({ Certificates }) => Certificates ?? [])) {
    const command = new DeleteSigningCertificateCommand({ UserName, CertificateId });
    await withAction('DeleteSigningCertificate', client.send(command)).catch(GONE);
  }
  const shells = await everyPage('ListSSHPublicKeys', (Marker) =>
    client.send(new ListSSHPublicKeysCommand({ UserName, Marker })),
  );
  for (const { SSHPublicKeyId } of shells.flatMap(({ SSHPublicKeys }) => SSHPublicKeys ?? [])) {
    const command = new DeleteSSHPublicKeyCommand({ UserName, SSHPublicKeyId });
    await withAction('DeleteSSHPublicKey', client.send(command)).catch(GONE);
  }
  const listing = client.send(new ListServiceSpecificCredentialsCommand({ UserName }));
  const others = await withAction('ListServiceSpecificCredentials', listing).catch(GONE);
  for (const { ServiceSpecificCredentialId } of others?.ServiceSpecificCredentials ?? []) {
    const command = new DeleteServiceSpecificCredentialCommand({ UserName, ServiceSpecificCredentialId });
    await withAction('DeleteServiceSpecificCredential', client.send(command)).catch(GONE);
  }
}
