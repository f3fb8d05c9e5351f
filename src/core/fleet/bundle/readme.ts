// What a person does with a bundle, in five steps, with everything to be copied filled in.
import { shellWord } from '../../text/shell-word.js';
import { FLEET_TAG, WRITER_TAG } from '../identity/iam.js';
import { IDENTITY_PATH } from './bucket-policy.js';
import { type AgentCall, CONTAINER_USER } from './compose-file.js';
import { partitionOf } from './fleet-place.js';
import { machineFolder, unitName } from './systemd-units.js';

export interface ReadmeOptions {
  /** The name of the IAM user, and the policy that belongs to it. */
  readonly user: string;
  readonly policy: string;
  readonly isMinted: boolean;
  /** How the image is built, where it comes from no registry. */
  readonly image: string;
  readonly isLocalImage: boolean;
  readonly publicKey: string;
}

const code = (...lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n');

/** The README of a bundle. */
export function readmeText(call: AgentCall, options: ReadmeOptions): string {
  const { place, writerId } = call;
  const store = shellWord(place.url);
  const config = shellWord(`${place.url}/fleet/${writerId}/`);
  return `# Writer ${writerId} of ${place.url}

This writer puts and lists objects below \`writers/${writerId}/\` and reads its own configuration. It cannot read back, decrypt or delete.
${serverNote(call)}
## 1. Identity

${identityStep(call, options)}

## 2. Bucket, once for all writers

${code(
  `aws s3api put-bucket-versioning --bucket ${place.bucket} --versioning-configuration Status=Enabled`,
  `aws s3api put-bucket-policy --bucket ${place.bucket} --policy file://bucket-policy.json`,
  `archiver lifecycle --bucket ${place.bucket} --import lifecycle.json`,
)}

bucket-policy.json makes S3 refuse every PUT of a writer over an object that exists. \`put-bucket-policy\` replaces the policy of the bucket:
where there is one, add the statement to it. It is about users below the path \`${IDENTITY_PATH}\`; name yours in the condition if it is another one.
lifecycle.json removes failed multipart uploads after seven days, and \`archiver lifecycle\` adds it to the rules that are there.

## 3. Configuration

Write the folders into config.yaml, then, where the private key is:

${code(
  'archiver fleetagent validate-config config.yaml',
  'archiver fleetagent sign-config config.yaml --key PRIVATE_KEY',
  `aws s3 cp config.yaml ${config}`,
  `aws s3 cp config.yaml.sig ${config}`,
)}

## 4. Start

Either as a container: copy this folder to the machine, mount in compose.yaml what config.yaml names, and

${code(
  ...(options.isLocalImage ? [`docker build --tag ${shellWord(options.image)} ARCHIVER_REPOSITORY`] : []),
  `chown ${CONTAINER_USER} credentials && chmod 600 credentials`,
  'docker compose up -d',
)}

or by systemd, as root, with archiver in /usr/local/bin:

${code(
  `install -d -m 700 ${machineFolder(writerId)}`,
  `install -m 600 credentials ${options.publicKey} ${machineFolder(writerId)}`,
  `install -m 644 ${unitName(writerId)}.service ${unitName(writerId)}.timer /etc/systemd/system`,
  `systemctl daemon-reload && systemctl enable --now ${unitName(writerId)}.timer`,
)}

The credentials then need to be nowhere else: delete them here.

## 5. Watch

${code(`archiver fleet status ${store}`)}

To take the writer down: \`archiver fleetagent scuttle ${writerId}\`. What it stored stays.
`;
}

/** Both programs read the variable. */
const serverNote = ({ endpointUrl }: AgentCall): string =>
  endpointUrl === undefined
    ? ''
    : `\nThe commands below go to its server by this variable:\n\n${code(`export AWS_ENDPOINT_URL=${shellWord(endpointUrl)}`)}\n`;

function identityStep({ place, writerId, region }: AgentCall, { user, policy, isMinted }: ReadmeOptions): string {
  if (isMinted) return `The IAM user \`${user}\` exists, and the file credentials holds its access key.`;
  // By these `fleetagent scuttle` and `--mint` know it as theirs.
  const tags = shellWord(
    JSON.stringify([
      { Key: WRITER_TAG, Value: writerId },
      { Key: FLEET_TAG, Value: place.url },
    ]),
  );
  const policyArn = `"arn:${partitionOf(region)}:iam::$ACCOUNT:policy${IDENTITY_PATH}${policy}"`;
  return `\`archiver fleetagent init --mint\` does this by itself; by hand, with the number of the account in ACCOUNT:

${code(
  `aws iam create-policy --path ${IDENTITY_PATH} --policy-name ${policy} --policy-document file://iam-policy.json --tags ${tags}`,
  `aws iam create-user --path ${IDENTITY_PATH} --user-name ${user} --tags ${tags}`,
  `aws iam attach-user-policy --user-name ${user} --policy-arn ${policyArn}`,
  `aws iam create-access-key --user-name ${user}`,
)}

Write the key into a file \`credentials\` beside this one, mode 600:

\`\`\`ini
[default]
aws_access_key_id = …
aws_secret_access_key = …
\`\`\``;
}
