// Refuses flags that can do nothing in a call if they were typed; values of lower layers are meant for other calls.
import { usageError } from '../core/platform/failures/errors.js';
import { bucketUrl } from '../core/store/store-url.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Command } from './command.js';
import type { Flags } from './flag.js';
import type { Resolved } from './layers.js';
import { dashed, joinWords } from './rule.js';
import { globalsOf } from './settings.js';

/** Value of a place flag for a place on this computer. */
const LOCAL = 'local';

const isTyped = ({ origins }: Pick<Resolved, 'origins'>, key: string): boolean => origins[key] === 'flag';

/** Refuses typed flags for S3 when the store is a folder. @throws usage */
export function refuseS3Flags(flags: Flags, resolved: Pick<Resolved, 'origins' | 'values'>, storeUrl: string): void {
  if (storeUrl !== LOCAL && !storeUrl.startsWith('file://')) return;
  const typed = Object.keys(flags).filter((key) => flags[key]?.only === 's3' && isTyped(resolved, key));
  if (typed.length === 0) return;
  const names = typed.map((key) => (resolved.values[key] === false ? dashed(`no-${key}`) : dashed(key)));
  throw usageError(
    `${joinWords(names, 'and')} can do nothing for ${printable(storeUrl)}, which is a folder and not in S3`,
    'leave it out; a copy of an encrypted bucket is read with AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_KMS and AWS_CA_BUNDLE',
  );
}

/** Refuses typed flags that add details to flags that are not given. @throws usage */
function refuseDetails(command: Command, { values, origins }: Resolved): void {
  const { flags: own = {} } = command;
  const globals = globalsOf(command);
  for (const [key, needs] of Object.entries(globals.needs)) {
    if (key in own || !isTyped({ origins }, key) || values[key] === false) continue;
    if (needs.some((need) => values[need] !== undefined && values[need] !== false)) continue;
    const there = needs.filter((need) => need in own || need in globals.flags);
    throw usageError(`${dashed(key)} can do nothing without ${joinWords(there.map(dashed), 'or')}`);
  }
}

interface Typed {
  /** The store that the command works on. */
  readonly place: string | undefined;
  /** Texts of the arguments. */
  readonly texts: readonly string[];
  /** Base of relative paths. */
  readonly cwd: string;
}

/** Refuses typed flags that can do nothing. @throws usage */
export function refuseIdle(command: Command, resolved: Resolved, { place, texts, cwd }: Typed): void {
  const { path, flags = {} } = command;
  const [named] = Object.keys(flags).flatMap((key) =>
    flags[key]?.isPlace === true ? (resolved.values[key] ?? []) : [],
  );
  const byFlag = typeof named === 'string' && named !== LOCAL ? bucketUrl(named, cwd) : LOCAL;
  const store = place ?? (named === undefined ? undefined : byFlag);
  // The archive that `migrate` reads may be in S3 as well, and so may a place that the settings name.
  const settings = Object.values(globalsOf(command).sections).flatMap((section) =>
    Object.entries(section.settings ?? {}),
  );
  const further = Object.entries(flags).filter(([, { namesStores }]) => namesStores === true);
  const others = [
    ...settings.map(([key, { isPlace }]) => (isPlace === true ? resolved.values[key] : undefined)),
    ...further.flatMap(([key]) => resolved.values[key] ?? []),
  ];
  const isS3 = (text: unknown): boolean => typeof text === 'string' && text.startsWith('s3://');
  if (store !== undefined && ![...texts, ...others].some(isS3)) refuseS3Flags(flags, resolved, store);
  refuseDetails(command, resolved);
  if (isTyped(resolved, 'memoryLimit') && command.keepsMemoryLimit?.(resolved.values) !== true)
    throw usageError(`--memory-limit has nothing to limit in this call of archiver ${path}`);
}
