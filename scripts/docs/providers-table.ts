// The table in docs/providers.md, from the one place that says what is known of each provider.
import { addressText } from '../../src/core/store/providers/address.js';
import { type Provider, PROVIDERS } from '../../src/core/store/providers/provider.js';
import type { ProviderFacts } from '../../src/core/store/providers/provider-facts.js';
import { factsOf } from '../../src/core/store/providers/provider-table.js';

const [BEGIN, END] = ['<!-- providers-table: made by `npm run docs` -->', '<!-- /providers-table -->'];

const HEAD = [
  'store',
  '`--provider`',
  'address',
  'region',
  'bucket in',
  'prices',
  'classes',
  'versions',
  'Object Lock',
  'rule for unfinished uploads',
  'policies for writers',
];

const known = (has: boolean | null): string => (has === null ? '?' : has ? 'yes' : 'no');
const code = (text: string): string => `\`${text}\``;

const PRICES: Readonly<Record<ProviderFacts['prices'], string>> = {
  'by-region': 'list, by region',
  'one-list': 'list',
  own: '`ownPrices`',
};

function addressCell({ endpoint, usualAddress, ...facts }: ProviderFacts, provider: Provider): string {
  if (provider === 'aws') return 'its own';
  if (endpoint !== null) return code(addressText({ endpoint, usualAddress, ...facts }));
  return usualAddress === null ? 'has to be named' : `${code(usualAddress)}, or as it was set up`;
}

function regionCell({ defaultRegion, regions, endpoint }: ProviderFacts, provider: Provider): string {
  if (defaultRegion !== null) return code(defaultRegion) + (regions.length > 1 ? `, ${code(regions[1] ?? '')}, …` : '');
  if (provider === 'aws') return 'the bucket is asked';
  if (endpoint?.includes('{region}') !== true) return 'none of its own';
  return `${regions.slice(0, 2).map(code).join(', ')}, …`;
}

function classesCell({ classes }: ProviderFacts, provider: Provider): string {
  if (provider === 'aws') return 'all';
  return classes === null ? '?' : classes.map(code).join(', ');
}

function policiesCell({ policies }: ProviderFacts): string {
  if (typeof policies === 'object') return 'none';
  return policies === 'untried' ? 'to be tried' : 'tried';
}

function cells(provider: Provider): readonly string[] {
  const facts = factsOf(provider);
  return [
    `[${facts.name}](#${facts.anchor})`,
    code(provider),
    addressCell(facts, provider),
    regionCell(facts, provider),
    facts.addressing === 'both' ? 'path or host' : 'path',
    PRICES[facts.prices],
    classesCell(facts, provider),
    known(facts.versions),
    known(facts.locks),
    known(facts.endsUploads),
    policiesCell(facts),
  ];
}

const row = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;

/** The document with the table as it is now. @throws where it has no place for one */
export function withProvidersTable(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/providers.md has no place for the table of providers');
  const table = [row(HEAD), row(HEAD.map(() => '---')), ...PROVIDERS.map((provider) => row(cells(provider)))];
  return `${document.slice(0, begin)}${BEGIN}\n${table.join('\n')}\n${document.slice(end)}`;
}
