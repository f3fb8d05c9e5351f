// The ledger that several computers share, where one is chosen.
import type { Cancellation, Environment, Places } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { SlotValues } from '../../cli/slots.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { textOf } from './budget-place.js';

/** Setting of every command: `costControl.ledgerStore`, `ARCHIVER_LEDGER_STORE`. */
export const ledgerStoreSetting = {
  ledgerStore: {
    ...flag.text({
      placeholder: 'local|URL',
      sample: 's3://acme-archive/budgets',
      default: 'local',
      describe:
        'where records of costs are kept besides this computer, and read from: s3://bucket/prefix for all machines of a group, an object a record',
    }),
    isPlace: true,
    mayBeStore: true,
  },
};

type SharedContext = Environment & Cancellation & Pick<Places, 'cwd'>;

const placeOf = (values: SlotValues): string => textOf(values['ledgerStore']) ?? 'local';

/** Tells whether the settings name a ledger that machines share. */
export const isLedgerShared = (values: SlotValues): boolean => placeOf(values) !== 'local';

/** Opens the shared ledger; undefined where none is chosen. The caller closes it. @throws usage, and what opening throws */
export async function openShared(values: SlotValues, context: SharedContext): Promise<OpenedStore | undefined> {
  const place = placeOf(values);
  if (place === 'local') return undefined;
  const { sharedLedgerUrl } = await import('../../core/money/ledger/shared-ledger.js');
  const { openStore } = await import('../../core/store/open-store.js');
  const url = sharedLedgerUrl(place, context.cwd);
  const { env, signal } = context;
  const [profile, endpointUrl, caBundle] = ['profile', 'endpointUrl', 'caBundle'].map((key) => textOf(values[key]));
  // The region of the run's store is left out: another bucket may be elsewhere.
  const access = { env, profile, endpointUrl, caBundle, signal, regionGiven: false, defaultRegion: 'us-west-2' };
  return url === undefined ? undefined : await openStore(url, access);
}
