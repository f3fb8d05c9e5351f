// Finds out what a store can do, and shows it, for `setup` and `access-check`.
import { randomBytes } from 'node:crypto';
import type { Environment, Terminal } from '../../cli/context.js';
import type { Answer } from '../../core/access/answer.js';
import { bucketCapabilities, folderCapabilities } from '../../core/access/capabilities/ask-capabilities.js';
import type { Capability } from '../../core/access/capabilities/capability.js';
import type { CreateOnceAnswer } from '../../core/store/create-once/answer.js';
import { scratchFolder } from '../../core/store/create-once/create-once.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { CAPABILITY_SIGNS, capabilityRows } from '../../screens/access/capability-rows.js';
import { lookOf } from '../../ui/look.js';
import { type Sign, signText } from '../../ui/sign.js';
import { signedLines, type SignedRow } from '../../ui/signed-rows.js';
import type { StoreContext } from '../kit/store.js';

/**
 * Finds out what a bucket can do; whether it keeps If-None-Match is known already. @throws usage for a store that is no bucket, cancelled,
 * wrong credentials, a store that is not reached
 */
export async function probeBucketCapabilities(
  { store, deleter, posture, lifecycle, multipart }: OpenedStore,
  createOnce: Answer<CreateOnceAnswer>,
  { now, signal }: Pick<StoreContext, 'now' | 'signal'>,
): Promise<readonly Capability[]> {
  if (posture === undefined || lifecycle === undefined || multipart === undefined)
    throw usageError(`${printable(store.url)} is no bucket`);
  const asked = { store, deleter, posture, lifecycle, multipart, createOnce, now, signal };
  return await bucketCapabilities({ ...asked, folder: scratchFolder(now), randomBytes });
}

/** Finds out what a folder can do. @throws usage for a bucket, cancelled */
export async function probeFolderCapabilities(
  { store, deleter }: OpenedStore,
  { now, signal }: Pick<StoreContext, 'now' | 'signal'>,
): Promise<readonly Capability[]> {
  const place = parseStoreUrl(store.url);
  if (place.kind !== 'file') throw usageError(`${printable(store.url)} is no folder`);
  const asked = { store, deleter, path: place.folder, folder: scratchFolder(now), randomBytes, now, signal };
  return await folderCapabilities(asked);
}

const DEFAULT_WIDTH = 80;
/** Maximum width, as longer lines are hard to read. */
const MOST_WIDTH = 100;
const INDENT = '  ';

const SIGNS: readonly Sign[] = Object.values(CAPABILITY_SIGNS);

/** Lines about what a store can do. */
export const capabilityLines = (
  capabilities: readonly Capability[],
  context: Pick<Terminal, 'stdout' | 'colors'> & Environment,
): readonly string[] => signedTable('What this store can do:', capabilityRows(capabilities, printable), context);

/** Formats rows below a title; each row takes as many lines as it needs. */
export function signedTable(
  title: string,
  rows: readonly SignedRow[],
  { stdout, colors, env }: Pick<Terminal, 'stdout' | 'colors'> & Environment,
): readonly string[] {
  const look = lookOf(colors.stdout, env);
  const plain = (sign: Sign): string => signText(sign, { ...look, color: false });
  const signWidth = Math.max(...SIGNS.map((sign) => plain(sign).length));
  const marked = (sign: Sign | undefined): string =>
    sign === undefined ? ' '.repeat(signWidth) : signText(sign, look) + ' '.repeat(signWidth - plain(sign).length);
  const columns = Math.min(MOST_WIDTH, stdout.isTTY === true ? (stdout.columns ?? DEFAULT_WIDTH) : DEFAULT_WIDTH);
  const lines = signedLines(rows, columns - INDENT.length - signWidth - 1);
  return [title, ...lines.map(({ sign, label, text }) => `${INDENT}${marked(sign)} ${label}${text}`)];
}
