// README sections on what a bundle promises on its server, and what each promise needs. Lists only promises that a policy of the bundle
// keeps.
import { IDENTITY_PATH } from '../identity/iam.js';
import type { AgentCall } from './compose-file.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { lockUnitName, OPERATOR_FOLDER } from './lock-units.js';
import { code } from './readme-code.js';
import type { StoreServer } from './store-server.js';

/** Name of the file with what the operator may do where objects belong to the users that have put them. */
export const OPERATOR_POLICY = 'operator-policy.json';

const LOCK = 'Object Lock with a default retention (COMPLIANCE), which the bucket is best made with';
const BREAKS =
  'with versioning or Object Lock it does not keep If-None-Match (tried on 16.2), and keys are then not created only once';

/** Describes how bucket versioning keeps a promise on this server. */
function ofVersions({ versioning }: StoreServer, how: string): string {
  if (versioning === 'breaks') return `**not kept**: ${BREAKS}`;
  return versioning === 'holds' ? how : `${how}, where the server has it`;
}

/** Returns a table of the promises and what keeps them. */
export function promises({ server }: AgentCall): string {
  const { kind, refusesOverwriting, noSuchPolicy } = server;
  const policy = `iam-policy.json${kind === 'other' ? ', where the server keeps it: try it (step 2)' : ''}`;
  const overwriting = refusesOverwriting
    ? 'bucket-policy.json (step 2); without it a PUT replaces an object'
    : `**not kept**: ${noSuchPolicy}. A PUT with this key replaces an object`;
  const history = `versioning of the bucket (step 2)${refusesOverwriting ? '' : ': this key deletes no version, so that the earlier one stays'}`;
  return `| what is promised | by what |
| --- | --- |
| this key reads ${kind === 'aws' ? 'and decrypts ' : ''}nothing that is stored, deletes nothing and writes for no other writer | ${policy} |
| this key overwrites no chunk, manifest or record | ${overwriting} |
| what was overwritten can be had back | ${ofVersions(server, history)} |
| nor can a key of an administrator delete it before its time | ${ofVersions(server, LOCK)} |`;
}

/** Returns the setup of the bucket, which is done once for all writers. */
export function bucketStep(call: AgentCall): string {
  const { bucket } = call.place;
  const { kind, refusesOverwriting, versioning } = call.server;
  const rules = rulesText(call);
  const commands = [
    ...(versioning === 'breaks'
      ? []
      : [`aws s3api put-bucket-versioning --bucket ${bucket} --versioning-configuration Status=Enabled`]),
    ...(refusesOverwriting
      ? [`aws s3api put-bucket-policy --bucket ${bucket} --policy file://bucket-policy.json`]
      : []),
    ...(rules === undefined ? [] : [`archiver lifecycle --bucket ${bucket} --import lifecycle.json`]),
  ];
  const texts = [
    code(...commands),
    ...(refusesOverwriting ? [BUCKET_POLICY] : []),
    ...(refusesOverwriting || versioning === 'breaks' ? [] : [replaced(bucket)]),
    ...(rules === undefined ? [] : [rules]),
    ...(kind === 'minio' ? [NO_RULE] : []),
    ...(kind === 'ceph' ? [leaveOff(call), operatorsAccess()] : []),
    ...(kind === 'other' ? [tries(call), OTHER_OWNERS] : []),
    ...(call.lock === undefined ? [] : [locks(call)]),
    trial(call),
  ];
  return texts.join('\n\n');
}

const BUCKET_POLICY = `bucket-policy.json makes S3 refuse every PUT of a writer over an object that exists. \`put-bucket-policy\` replaces the policy of the bucket:
where there is one, add the statement to it. It is about users below the path \`${IDENTITY_PATH}\`; name yours in the condition if it is another one.`;

/** Describes lifecycle.json; undefined where the bundle has none. */
function rulesText({ server, writerId }: AgentCall): string | undefined {
  const does = [
    ...(server.endsUploadsByRule ? ['removes failed multipart uploads after seven days'] : []),
    ...(server.versioning === 'holds'
      ? [`removes old versions of this writer's heartbeats (\`writers/${writerId}/status.json\`) after a day`]
      : []),
  ];
  if (does.length === 0) return undefined;
  return `lifecycle.json ${does.join(', and ')}. \`archiver lifecycle\` adds it to the rules that are there; do it for each writer.`;
}

/** Describes the units that extend locks. */
const locks = (call: AgentCall): string => {
  const name = lockUnitName(call);
  return `A new version refers to chunks that earlier ones have put, whose locks end before its own: \`archiver fleet lock-extend\` makes them longer. On the
machine of the operator, which is none of the writers, with credentials that may do so in ${OPERATOR_FOLDER}/credentials, as root and once for the fleet:

${code(
  `install -m 644 ${name}.service ${name}.timer /etc/systemd/system`,
  `systemctl daemon-reload && systemctl enable --now ${name}.timer`,
)}`;
};

const NO_RULE =
  'MinIO takes no lifecycle rule for failed multipart uploads: it removes them by itself, by default after a day.';

const leaveOff = ({ place }: AgentCall): string =>
  `Leave versioning off: ${BREAKS}. Where your gateway is newer, turn it on and ask:
\`archiver access-check ${place.url}\`. What is to survive a stolen key needs a copy that this key does not reach, such as a bucket that
another user fills from this one.`;

const operatorsAccess =
  (): string => `An object belongs to the user that has put it. Without a policy of its own not even the owner of the bucket reads, verifies or restores what
writers have put. operator-policy.json gives that, and deleting, to the user whose key the operator has (OPERATOR, its uid):

${code(`aws iam put-user-policy --user-name OPERATOR --policy-name archiver-operator --policy-document file://${OPERATOR_POLICY}`)}

Its key has to be another one than that of any writer. Who is only to restore needs \`s3:ListBucket\` and \`s3:GetObject\` of it.`;

const OTHER_OWNERS = `On some servers an object belongs to the user that has put it, and the owner of the bucket reads it only with a policy of its own: see with the
key of the operator that \`archiver verify\` of what the writer has put says ok, before you rely on it.`;

/** Describes how to restore objects that somebody has overwritten. */
const replaced = (
  bucket: string,
): string => `With versioning, what somebody puts over an object is a newer version of it. \`archiver verify --deep\` names what is no longer as it was
stored; copying the earlier version over it, with the key of an administrator, brings that back:

${code(
  `aws s3api list-object-versions --bucket ${bucket} --prefix KEY`,
  `aws s3api copy-object --bucket ${bucket} --key KEY --copy-source '${bucket}/KEY?versionId=VERSION'`,
)}

For versions that no administrator's key deletes either, make the bucket with Object Lock, before anything is stored:

${code(
  `aws s3api create-bucket --bucket ${bucket} --object-lock-enabled-for-bucket`,
  `aws s3api put-object-lock-configuration --bucket ${bucket} --object-lock-configuration \\`,
  `  '{"ObjectLockEnabled":"Enabled","Rule":{"DefaultRetention":{"Mode":"COMPLIANCE","Days":90}}}'`,
)}`;

const tries = ({ place }: AgentCall): string =>
  `Nothing of this has been tried on your server. Where it does not keep If-None-Match a stolen key can overwrite, which may change with
versioning: \`archiver access-check ${place.url}\` asks it.`;

/** Describes how to test the key. */
const trial = ({
  place,
  writerId,
}: AgentCall): string => `With the key of the writer, this says which promises hold, and touches nothing but what it has put itself:

${code(`AWS_SHARED_CREDENTIALS_FILE=credentials archiver access-check ${shellWord(place.url)} --try --writer-id ${writerId}`)}`;
