// README sections on creating and removing the identity of a writer by hand, with the tools of each server.
import { shellWord } from '../../platform/text/shell-word.js';
import { FLEET_TAG, IDENTITY_PATH, WRITER_TAG } from '../identity/iam.js';
import type { AgentCall } from './compose-file.js';
import { partitionOf } from './fleet-place.js';
import { code } from './readme-code.js';
import type { StoreServer } from './store-server.js';

export interface NamedIdentity {
  /** Name of the user. */
  readonly user: string;
  readonly policy: string;
  readonly isMinted: boolean;
}

const CREDENTIALS = `Write the key into a file \`credentials\` beside this one, mode 600:

\`\`\`ini
[default]
aws_access_key_id = …
aws_secret_access_key = …
\`\`\``;

function ofAws({ place, writerId, region, server }: AgentCall, { user, policy }: NamedIdentity): string {
  // `fleetagent scuttle` and `--mint` recognize their own entities by these tags.
  const tags = shellWord(
    JSON.stringify([
      { Key: WRITER_TAG, Value: writerId },
      { Key: FLEET_TAG, Value: place.url },
    ]),
  );
  const policyArn = `"arn:${partitionOf(region, server)}:iam::$ACCOUNT:policy${IDENTITY_PATH}${policy}"`;
  return `\`archiver fleetagent init --mint\` does this by itself; by hand, with the number of the account in ACCOUNT:

${code(
  `aws iam create-policy --path ${IDENTITY_PATH} --policy-name ${policy} --policy-document file://iam-policy.json --tags ${tags}`,
  `aws iam create-user --path ${IDENTITY_PATH} --user-name ${user} --tags ${tags}`,
  `aws iam attach-user-policy --user-name ${user} --policy-arn ${policyArn}`,
  `aws iam create-access-key --user-name ${user}`,
)}

${CREDENTIALS}`;
}

const ofMinio = ({ endpointUrl = 'ENDPOINT' }: AgentCall, { user, policy }: NamedIdentity): string =>
  `With MinIO's client, here, as an administrator, whose key the first command asks for:

${code(
  `mc alias set fleet ${shellWord(endpointUrl)}`,
  'SECRET=$(openssl rand -hex 20)',
  `mc admin policy create fleet ${policy} iam-policy.json`,
  `mc admin user add fleet ${user} "$SECRET"`,
  `mc admin policy attach fleet ${policy} --user ${user}`,
  `(umask 077; printf '[default]\\naws_access_key_id = %s\\naws_secret_access_key = %s\\n' ${user} "$SECRET" > credentials)`,
)}`;

const ofCeph = (_call: AgentCall, { user, policy }: NamedIdentity): string =>
  `The first command on a host of the cluster, the second one here, with the key of a user who may give policies
(\`radosgw-admin caps add --uid=ADMIN --caps='user-policy=*'\`):

${code(
  `radosgw-admin user create --uid=${user} --display-name=${user} --max-buckets=-1`,
  `aws iam put-user-policy --user-name ${user} --policy-name ${policy} --policy-document file://iam-policy.json`,
)}

The first one prints the key. \`--max-buckets=-1\` keeps the user from making buckets of its own; iam-policy.json does not.

${CREDENTIALS}`;

const ofOther = (_call: AgentCall, { user }: NamedIdentity): string =>
  `Make a user \`${user}\` with the tools of the server, give it iam-policy.json and nothing else, and make a key of it.

${CREDENTIALS}`;

type Text = (call: AgentCall, names: NamedIdentity) => string;
const BY_HAND: Readonly<Record<StoreServer['kind'], Text>> = {
  aws: ofAws,
  minio: ofMinio,
  ceph: ofCeph,
  other: ofOther,
};

/** Returns the text of the first step. */
export const identityStep: Text = (call, names) =>
  names.isMinted
    ? `The IAM user \`${names.user}\` exists, and the file credentials holds its access key.`
    : BY_HAND[call.server.kind](call, names);

type ByHand = Exclude<StoreServer['kind'], 'aws'>;
const REVOKE: Readonly<Record<ByHand, (names: Omit<NamedIdentity, 'isMinted'>) => string>> = {
  minio: ({ user, policy }) =>
    `\`mc admin user remove fleet ${user}\`, then \`mc admin policy remove fleet ${policy}\``,
  // Removing the user would do as well, and with --purge-data its buckets would go, too.
  ceph: ({ user }) => `\`radosgw-admin user suspend --uid=${user}\` on a host of the cluster`,
  other: ({ user }) => `delete the key of \`${user}\`, or the user, with the tools of the server`,
};

/** Returns how the key of a writer is revoked on a server without the IAM of AWS. */
export const revokeText = (kind: StoreServer['kind'], names: Omit<NamedIdentity, 'isMinted'>): string =>
  REVOKE[kind === 'aws' ? 'other' : kind](names);

/** Returns the section on how to take a writer down. */
export function removalInstructions({ place, writerId, server, endpointUrl }: AgentCall, names: NamedIdentity): string {
  const { kind } = server;
  const [scuttle, purge] = [`archiver fleetagent scuttle ${writerId}`, `--purge-data ${shellWord(place.url)} --yes`];
  if (kind === 'aws' && endpointUrl === undefined)
    return `To take the writer down: \`${scuttle}\`. What it stored stays, unless it says \`${purge}\` as well.`;
  const provider = kind === 'other' || kind === 'aws' ? '' : ` --provider ${kind}`;
  return `To take the writer down: ${revokeText(kind, names)}. From then on it writes nothing, and what it stored stays. To delete that as well, with the key of
somebody who may:

${code(`${scuttle} --endpoint-url ${shellWord(endpointUrl ?? 'ENDPOINT')}${provider} ${purge}`)}`;
}
