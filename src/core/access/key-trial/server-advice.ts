// Consequences of a promise that a key does not keep, and what to switch on, depending on the server's policies, versions and locks. Only
// features that the server has are suggested.
import type { StoreServer } from '../../fleet/bundle/store-server.js';
import { serverOf } from '../../fleet/bundle/store-server.js';
import type { Provider } from '../../store/providers/provider.js';
import { factsOf } from '../../store/providers/provider-table.js';
import type { PromiseName, PromiseState } from './key-promise.js';

export interface ServerAdvice {
  /** Returns sentences; empty when there is nothing to say. `kept` tells whether earlier versions are kept. */
  of(name: PromiseName, state: PromiseState, kept: PromiseState): string;
}

/** Known access features of the server. */
interface Known {
  readonly name: string;
  readonly anchor: string | undefined;
  /** Undefined when its users have no policies; `lacks` then says what it has. */
  readonly server: StoreServer | undefined;
  readonly lacks: string;
  readonly versions: boolean | null;
  readonly locks: boolean | null;
}

const LESS = 'make a key that may do less';
const COPY = 'keep a copy where this key does not reach';
const UNNAMED = 'What this server can do is not known: costControl.provider of the config file names it.';

const ASK_WITH_ADMIN: Readonly<Partial<Record<PromiseName, string>>> = {
  'versions-kept': 'Ask it with the key of an administrator: the row versions of its table.',
  locked: 'Ask it with the key of an administrator: the row object-lock of its table.',
};

/** `provider` is undefined when it is not known who runs the store. `hasVersions` is false when the store has said that it has none. */
export function serverAdvice(provider: Provider | undefined, hasVersions = true): ServerAdvice {
  const known = knownOf(provider, hasVersions);
  return {
    of: (name, state, kept) => {
      if (state === 'broken') return broken(name, known, kept);
      return state === 'unknown' ? (ASK_WITH_ADMIN[name] ?? '') : '';
    },
  };
}

function knownOf(provider: Provider | undefined, hasVersions: boolean): Known {
  if (provider === undefined || provider === 'custom') {
    const versions = hasVersions ? null : false;
    return { name: 'this server', anchor: undefined, server: serverOf('other'), lacks: '', versions, locks: versions };
  }
  const { name, anchor, policies, versions, locks } = factsOf(provider);
  const lacks = typeof policies === 'object' ? policies.none : '';
  return { name, anchor, server: serverOf(provider), lacks, versions: hasVersions ? versions : false, locks };
}

function broken(name: PromiseName, known: Known, kept: PromiseState): string {
  switch (name) {
    case 'stores':
      return `Nothing is archived with this key. ${allowing('allow s3:PutObject below its place', known)}`;
    case 'lists':
      return `A sync does not see what is stored, and is refused where keys are not created only once. ${allowing('allow s3:ListBucket with its place as s3:prefix', known)}`;
    case 'reads-nothing':
      return `Who steals this key reads what is stored there. ${limits('leave out s3:GetObject (fleetagent iam-policy --write-only)', known)}`;
    case 'creates-once':
      return 'Two writers of one dataset may make forks, and no condition keeps what is stored: docs/format.md, Create-once.';
    case 'overwrites-nothing':
      return overwriting(known, kept);
    case 'deletes-nothing':
      return `Who steals this key can destroy what is stored. ${limits('deny s3:DeleteObject (fleetagent iam-policy)', known)}`;
    case 'versions-kept':
      return versions(known);
    case 'versions-not-deleted':
      return `Who steals this key can destroy what is stored, its history too. ${limits('deny s3:DeleteObjectVersion (fleetagent iam-policy)', known)}`;
    case 'locked':
      return locking(known);
    case 'others-not-listed':
    case 'others-not-read':
    case 'others-not-written':
    case 'others-not-deleted':
      return `Who steals this key reaches other writers. ${limits('limit it to its place (fleetagent iam-policy --writer-id)', known, 'give each writer a bucket of its own')}`;
    default:
      throw new TypeError(`no promise: ${String(name satisfies never)}`);
  }
}

/** Says how to limit a key: by a policy, or by what the server has instead. */
function limits(policy: string, { server, name, anchor }: Known, instead?: string): string {
  if (server?.kind === 'other')
    return sentence(`${policy} where the server has policies of users, else ${instead ?? LESS}`);
  if (server !== undefined) return sentence(policy);
  const way = `${LESS} where ${name} has such keys (docs/providers.md#${anchor ?? ''})`;
  return `Users have no policies on ${name}. ${sentence(instead ?? way)}`;
}

/** Says how to allow a key what it needs. */
function allowing(policy: string, { server }: Known): string {
  const other = 'give it a key that may';
  if (server === undefined) return sentence(other);
  return sentence(server.kind === 'other' ? `${policy} where the server has policies of users, else ${other}` : policy);
}

function overwriting(known: Known, kept: PromiseState): string {
  const { server, lacks, name } = known;
  const where =
    server?.refusesOverwriting === true ? 'put bucket-policy.json of fleetagent init on the bucket' : undefined;
  if (where !== undefined) return `Who steals this key can replace what is stored. ${sentence(where)}`;
  const why = server === undefined ? lacks : server.noSuchPolicy;
  const cannot = `It cannot be kept on ${name}: ${why}.${server?.kind === 'other' ? ` ${UNNAMED}` : ''}`;
  if (kept === 'unknown') return cannot;
  return kept === 'holds'
    ? `${cannot} What was there stays as an earlier version: \`archiver verify --deep\` names what was replaced.`
    : `${cannot} ${versions(known)}`;
}

/** Says how to keep overwritten objects. */
function versions({ server, versions: has, name }: Known): string {
  if (server?.versioning === 'breaks')
    return `Leave versioning off on ${name}: with it If-None-Match is not kept. So ${COPY}.`;
  if (has === false) return `What is overwritten is gone, and ${name} keeps no versions: ${COPY}.`;
  const on = 'What is overwritten is gone: turn versioning of the bucket on';
  return has === null ? `${on} where the server has it, else ${COPY}.` : `${on}.`;
}

function locking({ server, locks, name }: Known): string {
  if (server?.versioning === 'breaks' || locks === false)
    return `A key of an administrator can delete everything, and Object Lock is not to be had on ${name}: ${COPY}.`;
  const how = 'make the bucket with Object Lock and a default retention';
  return `A key of an administrator can delete everything: ${how}${locks === null ? ` where the server has it, else ${COPY}` : ''}.`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
