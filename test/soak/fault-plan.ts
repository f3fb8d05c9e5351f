// What is done to one command: which fault, where. Drawn before the command runs.
import type { Rng } from './prng.js';

export type RequestTrouble =
  /** The client dies before the server sees the request, or after it acted. */
  | 'kill-before'
  | 'kill-after'
  /** The client dies, and the request arrives steps later. */
  | 'kill-and-hold'
  /** The connection breaks and the request arrives steps later. */
  | 'reset-and-hold'
  | 'reset'
  | 'lost-answer'
  | 'duplicate'
  | 'delay'
  | 'unavailable'
  /** The server says yes and does nothing. */
  | 'lie'
  /** From here on nothing comes through. */
  | 'outage';

export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'syscall-kill'; readonly calls: string; readonly when: number }
  | { readonly kind: 'syscall-error'; readonly calls: string; readonly when: number; readonly error: string }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals; readonly afterMs: number }
  /** Stopped for a while, until what runs beside it has ended. */
  | { readonly kind: 'suspend'; readonly afterMs: number }
  /** The same, right before or after the nth object is put under such a key. */
  | { readonly kind: 'stop-at'; readonly path: RegExp; readonly nth: number; readonly isAfter: boolean }
  | {
      readonly kind: 'request';
      readonly trouble: RequestTrouble;
      /** S3 operations, or all. */
      readonly operation: RegExp;
      /** Keys, or all. */
      readonly path: RegExp;
      readonly nth: number;
      readonly times: number;
    };

export const NO_FAULT: Fault = { kind: 'none' };

const LINKS = 'link,linkat,rename,renameat,renameat2';
const CHANGES = `${LINKS},unlink,unlinkat,rmdir,mkdir,mkdirat,ftruncate`;
const FLUSHES = 'fsync,fdatasync';
const WRITES = 'write,pwrite64,writev,pwritev';
const SOCKETS = 'sendto,sendmsg,recvfrom,connect';

export const describeFault = (fault: Fault): string => {
  switch (fault.kind) {
    case 'none':
      return '';
    case 'syscall-kill':
      return ` [killed at ${fault.calls.split(',')[0]}… ${fault.when}]`;
    case 'syscall-error':
      return ` [${fault.error} from ${fault.calls.split(',')[0]}… ${fault.when}]`;
    case 'signal':
      return ` [${fault.signal} after ${fault.afterMs} ms]`;
    case 'suspend':
      return ` [stopped after ${fault.afterMs} ms]`;
    case 'stop-at':
      return ` [stopped ${fault.isAfter ? 'after' : 'before'} ${fault.path.source} ${fault.nth}]`;
    case 'request':
      return ` [${fault.trouble} ${fault.operation.source} ${fault.path.source} ${fault.nth}${fault.times > 1 ? `×${fault.times}` : ''}]`;
    default:
      return fault satisfies never;
  }
};

/** Ends of a command that it cannot survive. */
export const isDeadly = (fault: Fault): boolean =>
  fault.kind === 'syscall-kill' ||
  fault.kind === 'signal' ||
  (fault.kind === 'request' && fault.trouble.startsWith('kill'));

/** Whether the process is stopped for a while, and goes on. */
export const isStop = ({ kind }: Fault): boolean => kind === 'suspend' || kind === 'stop-at';

export const CHUNK_KEY = /chunk-|\/files\//;
export const MANIFEST_KEY = /manifest\.json\.gz$/;
export const RECORD_KEY = /datasets\/[^/]+\/v\d+[^/]*\.json$/;

/** A moment at which a writer falls asleep: mostly right beside one of the objects that it puts. */
export function anyStop(rng: Rng): Fault {
  if (rng.chance(0.15)) return { kind: 'suspend', afterMs: rng.int(200, 900) };
  const path = rng.pick([CHUNK_KEY, CHUNK_KEY, MANIFEST_KEY, MANIFEST_KEY, RECORD_KEY]);
  return { kind: 'stop-at', path, nth: path === CHUNK_KEY ? rng.int(1, 3) : 1, isAfter: rng.chance(0.5) };
}

/** A kill somewhere near the end, where manifests and records are written. */
export function lateKill(rng: Rng, hasRequests: boolean): Fault {
  if (!hasRequests || rng.chance(0.15)) {
    // At link the object is not there yet; when its temporary name goes, it is.
    const calls = hasRequests ? 'rename,unlink' : rng.pick(['link,linkat', 'unlink', 'unlink', 'fsync', 'rename']);
    return { kind: 'syscall-kill', calls, when: rng.small(1, calls === 'fsync' ? 14 : 7) };
  }
  return {
    kind: 'request',
    trouble: rng.pick(['kill-before', 'kill-after', 'kill-and-hold'] as const),
    operation: /^(Put|Copy)Object$/,
    path: rng.pick([/\/datasets\//, /manifest\.json/, /manifest\.json/, /chunk-/]),
    nth: rng.int(1, 2),
    times: 1,
  };
}

const ANY_PATH = /./;
/** Keys that a fault may be about, and how many requests for them a command makes. */
const MOST_REQUESTS: ReadonlyMap<RegExp, number> = new Map([
  [ANY_PATH, 16],
  [/\/datasets\//, 4],
  [/manifest\.json/, 3],
  [/chunk-|files\//, 5],
  [/sweep/, 2],
]);
const PATHS: readonly RegExp[] = [...MOST_REQUESTS.keys()];

function requestFault(rng: Rng): Fault {
  const trouble = rng.weighted<RequestTrouble>({
    'kill-before': 10,
    'kill-after': 14,
    'kill-and-hold': 8,
    'reset-and-hold': 6,
    reset: 4,
    'lost-answer': 12,
    duplicate: 8,
    delay: 5,
    unavailable: 8,
    lie: 4,
    outage: 5,
  });
  const isChange = /kill|hold|duplicate|lost/.test(trouble) ? rng.chance(0.8) : rng.chance(0.4);
  const path = rng.pick([...PATHS, ANY_PATH]);
  return {
    kind: 'request',
    trouble,
    operation: trouble === 'lie' ? /^PutObject$/ : isChange ? /^(Put|Copy|Delete|Create|Complete|UploadPart)/ : /./,
    path,
    nth: rng.small(1, MOST_REQUESTS.get(path) ?? 12),
    times: /unavailable|reset$|lost|delay/.test(trouble) ? rng.small(1, 8) : 1,
  };
}

function systemCallFault(rng: Rng): Fault {
  const calls = rng.pick([LINKS, CHANGES, CHANGES, FLUSHES, WRITES, 'openat']);
  const most = calls === WRITES || calls === 'openat' ? 300 : 12;
  return { kind: 'syscall-kill', calls, when: rng.small(1, most) };
}

function errorFault(rng: Rng): Fault {
  const [calls, error] = rng.pick([
    [FLUSHES, 'EIO'],
    [CHANGES, 'EIO'],
    ['pwrite64,pwritev', 'ENOSPC'],
    [LINKS, 'ENOSPC'],
    ['mkdir,mkdirat', 'ENOSPC'],
    ['openat', 'EMFILE'],
    ['getdents64', 'EIO'],
  ] as const);
  return {
    kind: 'syscall-error',
    calls,
    error,
    when: calls === 'openat' || calls === 'getdents64' ? rng.int(20, 300) : rng.small(1, 8),
  };
}

function signalFault(rng: Rng, fromMs: number, toMs: number): Fault {
  return {
    kind: 'signal',
    signal: rng.pick(['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT']),
    afterMs: rng.int(fromMs, toMs),
  };
}

/** Any fault. */
export function anyFault(rng: Rng, hasRequests: boolean): Fault {
  const kind = rng.weighted({
    request: hasRequests ? 60 : 0,
    call: hasRequests ? 12 : 50,
    error: 8,
    signal: 18,
    late: 12,
  });
  switch (kind) {
    case 'request':
      return requestFault(rng);
    case 'call':
      return hasRequests && rng.chance(0.5)
        ? { kind: 'syscall-kill', calls: SOCKETS, when: rng.small(1, 40) }
        : systemCallFault(rng);
    case 'error':
      return errorFault(rng);
    case 'late':
      return lateKill(rng, hasRequests);
    case 'signal':
      return signalFault(rng, 150, 1200);
    default:
      return kind satisfies never;
  }
}
