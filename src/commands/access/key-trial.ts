// `access-check --try`: tries what the current key may do in a store, and reports which promises it keeps.
import { randomBytes } from 'node:crypto';
import type { Environment, Terminal } from '../../cli/context.js';
import { isAnswered } from '../../core/access/answer.js';
import { askBucket, lacksVersions } from '../../core/access/check-access.js';
import { scratchFolder } from '../../core/store/create-once/create-once.js';
import type { KeyPromise, PromiseState } from '../../core/access/key-trial/key-promise.js';
import { judgeKey } from '../../core/access/key-trial/judge-key.js';
import { serverAdvice } from '../../core/access/key-trial/server-advice.js';
import { type LeftObject, tryKey } from '../../core/access/key-trial/try-key.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { Sign } from '../../ui/sign.js';
import type { SignedRow } from '../../ui/signed-rows.js';
import { postureOf } from './report-access.js';
import { signedTable } from './capabilities.js';
import { type StoreContext, type StoreValues, withStore } from '../kit/store.js';

export interface KeyReport {
  readonly promises: readonly KeyPromise[];
  readonly leftObjects: readonly LeftObject[];
}

/** Tries the key at the base, or below `writerId`. @throws cancelled, wrong credentials, a store that is not reached */
export async function reportKey(
  baseUrl: string,
  writerId: string | undefined,
  values: StoreValues,
  context: StoreContext,
): Promise<KeyReport> {
  return await withStore({ baseUrl, values, context }, async (opened) => {
    const { store, deleter, runBy } = opened;
    const { now, signal, pricing } = context;
    const asked = { posture: postureOf(opened), signal };
    const folderOf = (writer: string): string => `writers/${writer}/${scratchFolder(now)}`;
    const own = writerId === undefined ? scratchFolder(now) : folderOf(writerId);
    const other = writerId === undefined ? undefined : folderOf(`archiver-try-${randomBytes(8).toString('hex')}`);
    const provider = pricing.provider ?? runBy;
    const facts = factsOf(provider ?? 'custom');
    const [objectLock, versioning] = await Promise.all([
      askBucket(asked, 'objectLock'),
      askBucket(asked, 'versioning'),
    ]);
    const keepsVersions = isAnswered(versioning) ? versioning.value.status === 'Enabled' : facts.versions;
    const seen = await tryKey({ store, deleter, own, other, keepsVersions, randomBytes, signal });
    const isLacking = seen.versions === 'none' && (await lacksVersions(asked, versioning));
    const advice = serverAdvice(provider, !isLacking);
    const promises = judgeKey({ seen, objectLock, hasLocks: facts.locks, advice });
    return { promises, leftObjects: seen.left };
  });
}

const SIGNS: Readonly<Record<PromiseState, Sign>> = { holds: 'good', broken: 'bad', unknown: 'none' };

const rowOf = ({ name, state, detail, consequence }: KeyPromise): SignedRow => ({
  sign: SIGNS[state],
  label: name,
  texts: [printable(detail), ...(consequence === '' ? [] : [consequence])],
});

/** The table as lines, and below it the objects that stay in the store. */
export function keyLines(
  { promises, leftObjects }: KeyReport,
  context: Pick<Terminal, 'stdout' | 'colors'> & Environment,
): readonly string[] {
  return [
    ...signedTable('What this key keeps to:', promises.map(rowOf), context),
    ...leftObjects.map(({ key, reason }) => `stays: ${printable(key)} (${printable(reason)})`),
    ...(leftObjects.length === 0 ? [] : [STAYS]),
  ];
}

const STAYS = 'A `dataset prune` with the key of an administrator sweeps what stays.';
