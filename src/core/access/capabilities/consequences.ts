// Consequences of a store's capabilities for its users. Each text ends with the section of the docs that has details.
import type { Capability, CapabilityName, CapabilityState, Seen } from './capability.js';

type Texts = Readonly<Record<CapabilityState, string>>;

const CAN = 'docs/access.md, What a store can do';
const STOLEN = 'docs/security.md, A stolen key';
const CREATE_ONCE = 'docs/format.md, Create-once';
const ENCRYPTED_BEFORE = 'docs/security.md, Files that are encrypted before they are archived';

const LARGEST =
  'Nothing to know for uploads: a chunk is one request of at most 64 MiB (2 GB with --chunk-size-mb of `create upload`), and no parts are sent.';

const CONSEQUENCES: Readonly<Record<CapabilityName, Texts>> = {
  'create-once': {
    yes: `Several machines may write one dataset: their versions are numbered one after the other. See ${CREATE_ONCE}.`,
    no: `Versions get record keys of their own there: none is overwritten, and two that are made at once may be forks (v2 and v2.b). What replaces objects (balance, repair, budgets of several machines) needs --exclusive, and a stolen key can overwrite. See ${CREATE_ONCE}.`,
    unknown: `Whoever uploads there asks it first. See ${CREATE_ONCE}.`,
  },
  versions: {
    yes: `What is overwritten or deleted stays as an older version, and is billed until a lifecycle rule removes it. See ${CAN}.`,
    no: `A stolen writer key can overwrite what is stored, and what is overwritten or deleted is gone. See ${STOLEN}.`,
    unknown: `Take what is overwritten or deleted for gone. See ${STOLEN}.`,
  },
  'object-lock': {
    yes: `What is locked cannot be deleted before its time, by a stolen administrator's key neither. See docs/access.md, fleet lock-status.`,
    no: `A stolen administrator's key can delete everything, and --object-lock is refused: keep a copy where that key does not reach. See ${STOLEN}.`,
    unknown: `Take it that whoever may delete can delete everything. See ${STOLEN}.`,
  },
  lifecycle: {
    yes: `\`archiver lifecycle\` can write rules, and says what the store keeps of them. See ${CAN}.`,
    no: `Nothing moves to a colder class or expires by itself; \`archiver lifecycle\` is refused, \`archiver dataset prune\` deletes. See ${CAN}.`,
    unknown: `\`archiver lifecycle\` says it when it is used. See ${CAN}.`,
  },
  'storage-classes': {
    yes: `--storage-class stores chunks in them, and the store decides what they cost and how they are read. See ${CAN}.`,
    no: `Leave out --storage-class: with it chunks are refused, or stored as they are without it. See ${CAN}.`,
    unknown: `An upload with --storage-class says it. See ${CAN}.`,
  },
  encryption: {
    yes: `The disks of the server hold nothing that can be read without its keys; whoever may read objects gets them decrypted. See ${CAN}.`,
    no: `Whoever gets at the disks of the server reads files and names, unless the disks are encrypted. See ${ENCRYPTED_BEFORE}.`,
    unknown: `Take it that the disks of the server can be read. See ${ENCRYPTED_BEFORE}.`,
  },
  'unfinished-uploads': {
    yes: `\`archiver analyze\`, \`dataset prune\` and \`scuttle\` see what uploads of other programs have left unfinished. See ${CAN}.`,
    no: `\`archiver analyze\`, \`dataset prune\` and \`scuttle\` do not see what uploads of other programs have left unfinished, and is billed; archiver leaves nothing of the kind. See ${CAN}.`,
    unknown: `\`archiver analyze\` says whether it sees them. See ${CAN}.`,
  },
  'multipart-copy': {
    yes: `Other programs copy objects of more than 5 GiB within the store; archiver copies chunks whole and does not need it. See ${CAN}.`,
    no: `Other programs cannot copy objects of more than 5 GiB within the store; archiver copies chunks whole and does not need it. See ${CAN}.`,
    unknown: `Nothing for archiver, which copies chunks whole. See ${CAN}.`,
  },
  'largest-part': {
    yes: `${LARGEST} See ${CAN}.`,
    no: `${LARGEST} See ${CAN}.`,
    unknown: `${LARGEST} See ${CAN}.`,
  },
  clock: {
    yes: `Dates of versions, ages for \`dataset prune\` and ends of locks mean what they say. See ${CAN}.`,
    no: `Set the clock that is wrong (here: timedatectl set-ntp true): dates of versions and ends of locks are off by as much, and from 15 minutes on a store refuses every request. See ${CAN}.`,
    unknown: `Dates of versions are by the clock of this computer. See ${CAN}.`,
  },
};

/** Texts for folders. */
export const FOLDER = {
  versions: `Whoever may write to the folder can overwrite and delete what is stored: snapshots of its disk, or a copy elsewhere, keep it. See ${CAN}.`,
  unfinished: `What a killed upload leaves is removed by the next \`dataset prune\` or \`scuttle\`. See ${CAN}.`,
} as const;

/** Returns the row with its consequence; `consequence` overrides the usual text. */
export const capability = (
  name: CapabilityName,
  seen: Seen,
  consequence: string = CONSEQUENCES[name][seen.state],
): Capability => ({ name, ...seen, consequence });
