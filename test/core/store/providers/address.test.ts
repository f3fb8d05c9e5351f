import { describe, expect, test } from 'vitest';
import {
  addressOf,
  addressText,
  knownAddress,
  missingParts,
  regionAt,
  regionIn,
} from '../../../../src/core/store/providers/address.js';
import { type Provider, PROVIDERS } from '../../../../src/core/store/providers/provider.js';
import { factsOf } from '../../../../src/core/store/providers/provider-table.js';

/** As their consoles show them. */
const SERVICES: [Provider, region: string, address: string, account?: string][] = [
  ['b2', 'us-west-004', 'https://s3.us-west-004.backblazeb2.com'],
  ['wasabi', 'eu-central-1', 'https://s3.eu-central-1.wasabisys.com'],
  ['r2', 'auto', 'https://0123abcd.r2.cloudflarestorage.com', '0123abcd'],
  ['gcs', 'auto', 'https://storage.googleapis.com'],
  ['hetzner', 'fsn1', 'https://fsn1.your-objectstorage.com'],
  ['ovh', 'eu-west-par', 'https://s3.eu-west-par.io.cloud.ovh.net'],
  ['scaleway', 'fr-par', 'https://s3.fr-par.scw.cloud'],
  ['digitalocean', 'nyc3', 'https://nyc3.digitaloceanspaces.com'],
  ['oracle', 'us-phoenix-1', 'https://axabc.compat.objectstorage.us-phoenix-1.oraclecloud.com', 'axabc'],
];

describe('the address of a service', () => {
  test.each(SERVICES)('%s in %s is made and known again, with its region', (provider, region, address, account) => {
    expect(addressOf(factsOf(provider), { region, account })).toBe(address);
    expect(knownAddress(`${address}/`)?.provider).toBe(provider);
    expect([regionIn(address), regionAt(address)]).toEqual([region, region]);
  });

  test('Storj has one for all, and its region means nothing', () => {
    const address = addressOf(factsOf('storj'), {});

    expect([address, knownAddress(address)?.provider, regionAt(address)]).toEqual([
      'https://gateway.storjshare.io',
      'storj',
      undefined,
    ]);
  });

  test('is none before all of it is said', () => {
    expect(addressOf(factsOf('oracle'), { region: 'us-phoenix-1' })).toBeUndefined();
    expect(missingParts(factsOf('oracle'))).toEqual(['account', 'region']);
    expect(addressText(factsOf('oracle'))).toBe('https://NAMESPACE.compat.objectstorage.REGION.oraclecloud.com');
  });

  test.each(PROVIDERS.filter((provider) => factsOf(provider).endpoint === null))(
    '%s has none that is the same everywhere, and a usual one tells nothing',
    (provider) => {
      expect(addressOf(factsOf(provider), { region: 'r', account: 'a' })).toBeUndefined();
      expect(knownAddress(factsOf(provider).usualAddress ?? undefined)).toBeUndefined();
    },
  );
});

describe('an address', () => {
  test.each<[string, Provider | undefined, string | undefined]>([
    ['https://s3.wasabisys.com', 'wasabi', 'us-east-1'],
    // A short name, which is no region.
    ['https://s3.nl-1.wasabisys.com', 'wasabi', 'us-east-1'],
    ['https://0123abcd.eu.r2.cloudflarestorage.com', 'r2', 'auto'],
    ['https://s3.gra.perf.cloud.ovh.net', 'ovh', 'gra'],
    ['https://s3.us-east-va.io.cloud.ovh.us', 'ovh', 'us-east-va'],
    ['https://v1a2.ldn.idrivee2-12.com', 'idrive', undefined],
    ['https://gateway.eu1.storjshare.io', 'storj', undefined],
    ['https://axabc.compat.objectstorage.eu-frankfurt-1.oci.customer-oci.com', 'oracle', 'eu-frankfurt-1'],
    ['https://bucket.vpce-0abc-1.s3.eu-west-1.vpce.amazonaws.com', 'aws', 'eu-west-1'],
    ['https://s3.dualstack.us-gov-west-1.amazonaws.com', 'aws', 'us-gov-west-1'],
    ['https://s3.cn-north-1.amazonaws.com.cn', 'aws', 'cn-north-1'],
    ['https://s3.amazonaws.com', 'aws', undefined],
    ['http://localhost:9000', undefined, undefined],
    ['https://s3.eu-central-1.wasabisys.com.example.org', undefined, undefined],
    ['https://evil-backblazeb2.com', undefined, undefined],
    ['https://notamazonaws.com', undefined, undefined],
    ['no address', undefined, undefined],
  ])('%s is of %s, in %s', (address, provider, region) => {
    expect([knownAddress(address)?.provider, regionAt(address)]).toEqual([provider, region]);
  });

  test('names no region by itself where a service has several and it shows none', () => {
    expect(regionIn('https://s3.nl-1.wasabisys.com')).toBeUndefined();
  });
});
