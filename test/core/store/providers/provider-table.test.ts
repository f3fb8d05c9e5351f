import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listPrices } from '../../../../src/core/cost/price-book.js';
import { STORAGE_CLASSES } from '../../../../src/core/store/providers/storage-classes.js';
import { PROVIDERS } from '../../../../src/core/store/providers/provider.js';
import { factsOf } from '../../../../src/core/store/providers/provider-table.js';

const document = readFileSync(new URL('../../../../docs/providers.md', import.meta.url), 'utf8');

describe.each(PROVIDERS)('what is said of %s', (provider) => {
  const facts = factsOf(provider);

  test('agrees with the lists of prices', () => {
    const { classes } = listPrices({ provider, region: 'us-east-1' });

    expect(Object.keys(classes).length > 0).toBe(facts.prices !== 'own');
  });

  test('has a section of its own in docs/providers.md', () => {
    const anchors = [...document.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );

    expect(anchors).toContain(facts.anchor);
  });

  test('names classes that there are, and an example of each region that the address needs', () => {
    expect(STORAGE_CLASSES).toEqual(expect.arrayContaining([...(facts.classes ?? [])]));
    expect(facts.regions).toEqual(expect.arrayContaining([facts.defaultRegion].filter((region) => region !== null)));
    expect(facts.regions.length > 0 || facts.endpoint?.includes('{region}') !== true).toBe(true);
  });
});
