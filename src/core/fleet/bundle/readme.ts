// Generates the README of a bundle: five steps, with all commands ready to copy.
import { shellWord } from '../../platform/text/shell-word.js';
import { type AgentCall, CONTAINER_USER } from './compose-file.js';
import { code } from './readme-code.js';
import { identityStep, type NamedIdentity, takeDown } from './readme-identity.js';
import { bucketStep, promises } from './readme-promises.js';
import { machineFolder, unitName } from './systemd-units.js';

export interface ReadmeOptions extends NamedIdentity {
  /** Name of the image; a local one is built on the machine rather than pulled. */
  readonly image: string;
  readonly isLocalImage: boolean;
  readonly publicKey: string;
}

/** Returns the README of a bundle. */
export function readmeText(call: AgentCall, options: ReadmeOptions): string {
  const { place, writerId } = call;
  const store = shellWord(place.url);
  const config = shellWord(`${place.url}/fleet/${writerId}/`);
  return `# Writer ${writerId} of ${place.url}

This writer is to put and list objects below \`writers/${writerId}/\`, to read its own configuration, and to do nothing else.

${promises(call)}
${serverNote(call)}
## 1. Identity

${identityStep(call, options)}

## 2. Bucket, once for all writers

${bucketStep(call)}

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

${takeDown(call, options)}
`;
}

/** Sets the endpoint variable that both programs read. */
const serverNote = ({ endpointUrl }: AgentCall): string =>
  endpointUrl === undefined
    ? ''
    : `\nThe commands below go to its server by this variable:\n\n${code(`export AWS_ENDPOINT_URL=${shellWord(endpointUrl)}`)}\n`;
