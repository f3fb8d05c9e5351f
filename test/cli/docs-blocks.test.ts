// What docs/*.md, the README and CONTRIBUTING.md show to be copied: policies, units and command lines are what they should be.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findLongFlag } from '../../src/cli/find-flag.js';
import { allFlags } from '../../src/cli/global-flags.js';
import { parseCommand } from '../../src/cli/parse-command.js';
import { route } from '../../src/cli/route.js';
import { commandsUnder } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { checkKeys } from '../support/check-json.js';

interface Block {
  readonly where: string;
  readonly language: string;
  readonly text: string;
}

function blocksOf(name: string): readonly Block[] {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: body = '', index }) => ({
    where: `${name}, line ${text.slice(0, index).split('\n').length}`,
    language,
    text: body,
  }));
}

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(new URL('../../docs/', import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const blocks = pages.flatMap(blocksOf);
const of = (...languages: readonly string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));

/** The words of an archiver call in a line of a shell, of cron or of a unit, variables of the pages filled in; undefined where there is none. */
function callIn(line: string): readonly string[] | undefined {
  const call = /^(?:[-\d* ]+|ExecStart=)?(?:\/\S*\/)?archiver +(.*)/.exec(line)?.[1]?.split(/ +[#>|]/)[0];
  return call?.match(/'[^']*'|"[^"]*"|\S+/g)?.map((word) =>
    word
      .replace(/^(['"])(.*)\1$/, '$2')
      .replace(/^~(?=\/)/, '/home/ada')
      .replace(/^\$(?:NEW_|OLD_|COLLEAGUE_)?STORE$/, 's3://acme-archive/lab')
      .replace(/^\$PLAN$/, 's3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d')
      .replace('$version', '1')
      .replace('$SLURM_ARRAY_TASK_ID', '1'),
  );
}

const calls = of('sh', 'cron', 'ini')
  .filter(({ where }) => !where.startsWith('docs/commands.md'))
  .flatMap(({ where, text }) => text.split('\n').map((line) => [where, callIn(line) ?? []] as const))
  .filter(([, words]) => words.length > 0);

test.each(pages)('%s: each block ends, and each table has a line below its head', (name) => {
  const lines = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').split('\n');
  let isInBlock = false;
  const wrong = lines.flatMap((line, index) => {
    if (line.startsWith('```')) {
      const isWrong = isInBlock && line !== '```';
      isInBlock = !isInBlock;
      return isWrong ? [index + 1] : [];
    }
    const isHead = !isInBlock && line.startsWith('|') && !(lines[index - 1] ?? '').startsWith('|');
    return isHead && !/^[| :-]+$/.test(lines[index + 1] ?? '') ? [index + 1] : [];
  });

  expect([wrong, isInBlock]).toEqual([[], false]);
});

test.each(['CONTRIBUTING.md', 'SECURITY.md'])('%s names files that are there', (name) => {
  const prose = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').replace(/^```.*?^```$/gms, '');
  const named = [...prose.matchAll(/(?:`|\]\()((?:src|test|scripts|docs)\/[\w./-]+|\w+\.md)/g)].map(
    ([, path = '']) => path,
  );

  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

test('there are pages with calls, units and policies', () => {
  expect([calls.length > 10, of('json').length > 1, of('ini').length > 2]).toEqual([true, true, true]);
});

test.each(calls)('%s: %j is a call that is understood', async (_where, argv) => {
  const { node, rest } = route(program(), argv);
  const config = () => Promise.resolve(() => undefined);

  expect(node.command).toBeDefined();
  const { command } = node;
  const parsed = (env: Record<string, string>) => command && parseCommand(command, { argv: rest, env, config });
  // A path behind a source is the store only where no other is named.
  await expect(Promise.any([parsed({ ARCHIVER_STORE: 's3://abc' }), parsed({})])).resolves.toBeDefined();
});

/** Pages whose text speaks of nothing but this program: what is said there in passing is called as it is said. */
const OWN_PAGES = ['README.md', 'docs/faq.md', 'docs/index.md', 'docs/glossary.md'];
/** Flags of other programs in these pages, and of the other columns of the glossary; --help is none that a command declares. */
const OF_OTHERS = ['--help', '--allow-scripts', '--keep-tag', '--prune', '--repair', '--s3-storage-class'];

/** What a piece of text in `…` calls that is not there: a command, or a flag of it. */
function unknownIn(span: string, isOwn: boolean): readonly string[] {
  const words = span.replace(/^archiver +(?:help +)?/, '').split(/ +/);
  const { node, rest, word } = route(program(), words);
  const named = rest.flatMap((token) => /^--([a-z][a-z\d-]*)/.exec(token)?.[1] ?? []);
  const isCall = node.words.length > 0;
  const isPlaceholder = word === undefined || !/^[a-z][a-z-]*$/.test(word) || node.command !== undefined;
  if (span.startsWith('archiver ') && !isPlaceholder) return [`${span}: no command ${word}`];
  if (!isCall && !(isOwn && span.startsWith('--'))) return [];
  const commands = node.command === undefined ? [...commandsUnder(node)] : [node.command];
  return named
    .filter((name) => !OF_OTHERS.includes(`--${name}`))
    .filter((name) => commands.every((command) => findLongFlag(allFlags(command), name) === undefined))
    .map((name) => `${span}: no flag --${name}`);
}

test.each(pages)('%s: commands and flags that its text speaks of are there', (name) => {
  const prose = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').replace(/^```.*?^```$/gms, '');
  const isOwn = OWN_PAGES.includes(name);
  // A row of compared.md that says of itself that it does not work.
  const spans = Array.from(prose.replace(/^\| ✗.*$/gm, '').matchAll(/`([^`\n]+)`/g), ([, span = '']) => span);
  const called = spans.filter((span) => isOwn || span.startsWith('archiver '));

  expect(called.flatMap((span) => unknownIn(span, isOwn))).toEqual([]);
});

/** What a policy may name, of a bucket and of its objects. */
const OF_BUCKET = ['s3:ListBucket', 's3:ListBucketMultipartUploads', 's3:ListBucketVersions'];
const OF_OBJECTS = [
  's3:AbortMultipartUpload',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
  's3:GetObject',
  's3:PutObject',
  's3:RestoreObject',
];

interface Policy {
  readonly Version: string;
  readonly Statement: readonly {
    readonly Effect: string;
    readonly Action: string | readonly string[];
    readonly Resource: string;
  }[];
}

const documents = of('json').map(({ where, text }) => [where, text] as const);
const isPolicy = ([, text]: readonly [string, string]): boolean => text.includes('"Statement"');

test.each(documents.filter((one) => !isPolicy(one)))('%s: what a webhook gets', (_where, text) => {
  expect(() => checkKeys('schemaVersion alerts', JSON.parse(text) as object)).not.toThrow();
});

test.each(documents.filter(isPolicy))('%s: a policy for the right resources', (_where, text) => {
  const { Version, Statement } = JSON.parse(text) as Policy;

  expect(Version).toBe('2012-10-17');
  for (const { Effect, Action, Resource, ...more } of Statement) {
    expect([Effect, more]).toEqual(['Allow', {}]);
    expect(Resource).toMatch(/^arn:aws:s3:::[a-z-]+(?:\/[a-z]+\/\*)?$/);
    expect(Resource.includes('/') ? OF_OBJECTS : OF_BUCKET).toEqual(expect.arrayContaining([Action].flat()));
  }
});

const UNIT_KEYS: Readonly<Record<string, readonly string[]>> = {
  Unit: ['Description', 'Wants', 'After', 'RequiresMountsFor'],
  Service: [
    'Type',
    'User',
    'StateDirectory',
    'Environment',
    'ExecStart',
    'SuccessExitStatus',
    'TimeoutStopSec',
    'Nice',
    'IOSchedulingClass',
  ],
  Timer: ['OnCalendar', 'RandomizedDelaySec', 'Persistent'],
  Install: ['WantedBy'],
};

test.each(of('ini').map((block) => [block.where, block.text] as const))(
  '%s: sections and their keys',
  (_where, text) => {
    let section = '';
    for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
      const header = /^\[(.+)\]$/.exec(line)?.[1];
      section = header ?? section;
      const key = /^ *(\w+) *=/.exec(line)?.[1];
      expect([line, header ?? key]).toEqual([line, expect.any(String)]);
      // Sections of units begin with a capital, those of the AWS config file do not.
      const known = /^[A-Z]/.test(section) ? UNIT_KEYS[section] : undefined;
      expect([line, known === undefined || header !== undefined || known.includes(key ?? '')]).toEqual([line, true]);
      expect([section, /^(?:[A-Z]\w+|profile \w+|services [\w-]+)$/.test(section)]).toEqual([section, true]);
    }
  },
);
