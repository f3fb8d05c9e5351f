// Generates the README of a bundle: five steps, with all commands ready to copy.
import { shellWord } from '../../platform/text/shell-word.js';
import { type AgentCall, CONTAINER_USER } from './compose-file.js';
import { code } from './readme-code.js';
import { identityStep, type NamedIdentity, removalInstructions } from './readme-identity.js';
import { bucketStep, promises } from './readme-promises.js';
import { machineFolder, unitName } from './systemd-units.js';

export interface ReadmeOptions extends NamedIdentity {
  /** Name of the image; a local one is built on the machine rather than pulled. */
  readonly image: string;
  readonly isLocalImage: boolean;
  readonly publicKey: string;
  /** Name of the file with the settings of the machine. */
  readonly settings: string;
  /** True for another machine of a writer that is there. */
  readonly isReplaced: boolean;
}

/** Returns the README of a bundle. */
export function readmeText(call: AgentCall, options: ReadmeOptions): string {
  const { place, writerId } = call;
  const store = shellWord(place.url);
  const config = shellWord(`${place.url}/fleet/${writerId}/`);
  return `# Writer ${writerId} of ${place.url}

This writer is to put and list objects below \`writers/${writerId}/\`, to read its own configuration, and to do nothing else.

${promises(call)}
${options.isReplaced ? replacing(call, options) : ''}${serverNote(call)}
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
  `install -m 600 credentials ${options.publicKey} ${options.settings} ${machineFolder(writerId)}`,
  `install -m 644 ${unitName(writerId)}.service /etc/systemd/system`,
  `systemctl daemon-reload && systemctl enable --now ${unitName(writerId)}`,
)}

It runs as often as \`scan_interval\` of config.yaml says: there is no timer that says it a second time. Hooks and pings are settings of the
machine, in ${options.settings}, and \`systemctl restart ${unitName(writerId)}\` takes them. In the unit they reach the network, read every file, and
write to /var/lib/${unitName(writerId)} and a /tmp of their own. So does the agent: it does not see what /tmp and /var/tmp of the machine hold, and what
is to be mounted for a cycle is mounted by a unit of its own (\`RequiresMountsFor=\` in a drop-in).

The credentials then need to be nowhere else: delete them here.

## 5. Watch

${code(`archiver fleet status ${store}`)}

${removalInstructions(call, options)}
`;
}

/** Says what another machine takes to go on with the datasets of the writer. */
const replacing = ({ writerId }: AgentCall, { isMinted }: ReadmeOptions): string => `
## 0. In place of the machine before

It goes on with the datasets of the writer: they belong to \`writers/${writerId}/\` and to the absolute path of each folder, so give the folders the paths
that they had. Before the start:

- Stop the agent of the old machine, where it still runs. ${
  isMinted
    ? 'Its access keys are deleted, or `init` has named them.'
    : 'Revoke its access key by hand, once the new one works: whoever has the old machine has the key.'
}
- Where its disk can be read, copy its state (/var/lib/${unitName(writerId)}, or the volume \`state\`) to the same place here: then only what has changed is sent. Without
  it everything is sent once, as the next version of each dataset, because this key cannot read what is there.
- The config that lies in the store stays as it is (skip step 3); for other folders, sign one with a higher version.

\`archiver fleet status\` shows the new host with its next cycle. Were the old machine to come back, it would be told as a clone.
`;

/** Sets the endpoint variable that both programs read. */
const serverNote = ({ endpointUrl }: AgentCall): string =>
  endpointUrl === undefined
    ? ''
    : `\nThe commands below go to its server by this variable:\n\n${code(`export AWS_ENDPOINT_URL=${shellWord(endpointUrl)}`)}\n`;
