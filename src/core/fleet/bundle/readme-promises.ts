// What a bundle promises on its server, and what each promise takes. Nothing stands here that no policy of the bundle keeps.
import { IDENTITY_PATH } from './bucket-policy.js';
import type { AgentCall } from './compose-file.js';
import { code } from './readme-code.js';
import type { StoreServer } from './store-server.js';

const POLICY: Readonly<Record<StoreServer['kind'], string>> = {
  aws: 'iam-policy.json',
  minio: 'iam-policy.json',
  ceph: 'iam-policy.json',
  other: 'iam-policy.json, where the server keeps it: try it (step 2)',
};

/** A table: what holds, and by what. */
export function promises({ server }: AgentCall): string {
  const { kind, refusesOverwriting, noSuchPolicy } = server;
  const overwriting = refusesOverwriting
    ? 'bucket-policy.json (step 2); without it a PUT replaces an object'
    : `**not kept**: ${noSuchPolicy}. A PUT with this key replaces an object`;
  const history = `versioning of the bucket (step 2)${refusesOverwriting ? '' : ': this key can delete no version, so that the earlier one stays'}`;
  const lock = 'Object Lock with a default retention (COMPLIANCE), which the bucket is best made with';
  return `| what is promised | by what |
| --- | --- |
| this key reads ${kind === 'aws' ? 'and decrypts ' : ''}nothing that is stored, deletes nothing and writes for no other writer | ${POLICY[kind]} |
| this key overwrites no chunk, manifest or record | ${overwriting} |
| what was overwritten can be had back | ${history}${kind === 'other' ? ', where the server has it' : ''} |
| nor can a key of an administrator delete it before its time | ${lock}${kind === 'other' ? ', where the server has it' : ''} |`;
}

/** What is done to the bucket, once for all writers. */
export function bucketStep(call: AgentCall): string {
  const { bucket } = call.place;
  const { kind, refusesOverwriting, endsUploadsByRule } = call.server;
  const commands = [
    `aws s3api put-bucket-versioning --bucket ${bucket} --versioning-configuration Status=Enabled`,
    ...(refusesOverwriting
      ? [`aws s3api put-bucket-policy --bucket ${bucket} --policy file://bucket-policy.json`]
      : []),
    ...(endsUploadsByRule ? [`archiver lifecycle --bucket ${bucket} --import lifecycle.json`] : []),
  ];
  const texts = [
    code(...commands),
    refusesOverwriting ? BUCKET_POLICY : replaced(bucket),
    ...(endsUploadsByRule ? [RULE] : []),
    ...(kind === 'minio'
      ? [`MinIO takes no such rule for failed multipart uploads: it removes them by itself after a day.`]
      : []),
    ...(kind === 'ceph' ? [OWNERS] : []),
    ...(kind === 'other' ? [tries(call)] : []),
  ];
  return texts.join('\n\n');
}

const BUCKET_POLICY = `bucket-policy.json makes S3 refuse every PUT of a writer over an object that exists. \`put-bucket-policy\` replaces the policy of the bucket:
where there is one, add the statement to it. It is about users below the path \`${IDENTITY_PATH}\`; name yours in the condition if it is another one.`;

const RULE = `lifecycle.json removes failed multipart uploads after seven days, and \`archiver lifecycle\` adds it to the rules that are there.`;

const OWNERS = `An object belongs to the user that has put it: the owner of the bucket reads it only with a policy of its own that allows \`s3:GetObject\`.`;

/** What to do where somebody has put other content over an object. */
const replaced = (
  bucket: string,
): string => `With versioning, what somebody puts over an object is a newer version of it. \`archiver verify\` names what is no longer as it was stored;
copying the earlier version over it, with the key of an administrator, brings that back:

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

function tries({ place, writerId }: AgentCall): string {
  const { bucket, base } = place;
  const own = `--bucket ${bucket} --key ${base}writers/${writerId}/try`;
  return `Nothing of this has been tried on your server. With the key of the writer, the first of these must succeed, and all others must be refused:

${code(
  `aws s3api put-object ${own} --body README.md`,
  `aws s3api get-object ${own} /dev/null`,
  `aws s3api delete-object ${own}`,
  `aws s3api put-object --bucket ${bucket} --key ${base}writers/of-others/try --body README.md`,
  `aws s3api list-objects-v2 --bucket ${bucket} --prefix ${base}writers/of-others/`,
)}`;
}
