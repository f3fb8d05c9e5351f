// What the compiler refuses of a command's document. Each line below `@ts-expect-error` fails `npm run types` once it is allowed.
import { expect, test } from 'vitest';
import { defineCommand } from '../../src/cli/command.js';
import type { Results } from '../../src/cli/context.js';
import type { ProgressContext } from '../../src/cli/progress.js';
import { withResult } from '../../src/commands/kit/run.js';

const text = (): string => '';
const declared = { summary: 's', examples: [], exits: {} };

// Never called: it is about types alone.
function results({ result }: Results<'context list'>): void {
  const one = { name: 'local', about: 'a', isCurrent: true };
  const spread = { ...one, since: 1 };
  result({ contexts: [one] }, text);
  // @ts-expect-error -- a key is missing
  result({}, text);
  // @ts-expect-error -- a key is missing further down
  result({ contexts: [{ name: 'local', about: 'a' }] }, text);
  // @ts-expect-error -- a key of another form
  result({ contexts: [{ ...one, isCurrent: 'yes' }] }, text);
  // @ts-expect-error -- a key too many
  result({ contexts: [one], count: 1 }, text);
  // @ts-expect-error -- a key too many further down, in a value that was made elsewhere
  result({ contexts: [spread] }, text);
}

function optionalKeys({ outcome }: Results<'cost report'>, unknown: object): void {
  outcome({ csv: '' }, text);
  // @ts-expect-error -- a word that is none of those that there are
  outcome({ period: 'year' }, text);
  // @ts-expect-error -- nobody knows what it holds, although all keys may be missing
  outcome(unknown, text);
}

async function operations(context: ProgressContext & Results<'context reset'>): Promise<void> {
  const work = (): Promise<string> => Promise.resolve('f');
  const known = { context: 'local', isRemoved: true } as const;
  await withResult(context, {}, { work, show: (file) => ({ document: { ...known, file }, text }) });
  // @ts-expect-error -- a key is missing
  await withResult(context, {}, { work, show: () => ({ document: known, text }) });
  // @ts-expect-error -- a key too many
  await withResult(context, {}, { work, show: (file) => ({ document: { ...known, file, at: 1 }, text }) });
}

const ofAnother = defineCommand({
  ...declared,
  // @ts-expect-error -- `run` gives the results of another command
  path: 'context list',
  run: (_values, _args, _context: Results<'context show'>) => Promise.resolve(),
});

const ofItself = defineCommand({
  ...declared,
  path: 'context show',
  run: (_values, _args, _context: Results<'context show'>) => Promise.resolve(),
});

test('documents are checked when they are compiled', () => {
  expect([results, optionalKeys, operations, ofAnother, ofItself].every((one) => one !== undefined)).toBe(true);
});
