// Runs `fleetagent scuttle`: removes the identity, then the data.
import type { Clock, Messages, Results, Terminal } from '../../../cli/context.js';
import { fleetPlace } from '../../../core/fleet/bundle/fleet-place.js';
import { revokeText } from '../../../core/fleet/bundle/readme-identity.js';
import { type FleetProvider, serverKind } from '../../../core/fleet/bundle/store-server.js';
import { withIam } from '../../../core/fleet/identity/iam-client.js';
import { identityOf } from '../../../core/fleet/identity/iam.js';
import { type ScuttledIdentity, scuttleIdentity } from '../../../core/fleet/identity/scuttle-identity.js';
import type { RequestCounts } from '../../../core/store/object-store.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { openHoldings } from '../../../core/mend/scuttle/holdings.js';
import { type Survey, survey } from '../../../core/mend/scuttle/survey.js';
import { type WipeResult, wipe } from '../../../core/mend/scuttle/wipe.js';
import { limitToFolders } from '../../../core/mend/scuttle/limit-to-folders.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { recordRunFacts } from '../../kit/account.js';
import { forgetDatasets } from '../../kit/forget-datasets.js';
import { textOf } from '../../kit/lines.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { unfinishedHiddenText } from '../../../core/store/unfinished-hidden.js';
import { foundDocument, wipedDocument, wipeLines, wipeStatus } from '../../kit/wipe-lines.js';
import { namedWriter } from '../writer.js';

interface ScuttleValues {
  readonly purgeData: string | undefined;
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly provider: FleetProvider | undefined;
  readonly caBundle: string | undefined;
}

type Context = Results<'fleetagent scuttle'> & Messages & Terminal & Clock & StoreContext;

interface Purged {
  readonly location: string;
  readonly found: Survey;
  readonly done: WipeResult;
  readonly versionsHidden: boolean;
  readonly requests: RequestCounts;
}

export async function runScuttle(values: ScuttleValues, id: string, context: Context): Promise<number> {
  const writerId = namedWriter(id);
  const names = identityOf(writerId); // refuses an id that is too long for IAM, before anything is counted
  const place = values.purgeData === undefined ? undefined : fleetPlace(values.purgeData);
  const { env, signal } = context;
  const { profile, caBundle, region, endpointUrl, provider } = values;
  const revoke = endpointUrl === undefined ? undefined : revokeText(serverKind(provider, endpointUrl), names);
  const takeDown = async (): Promise<ScuttledIdentity> =>
    revoke === undefined
      ? await withIam({ env, profile, caBundle, region }, (iam) => scuttleIdentity(iam, writerId, signal))
      : { ...UNTOUCHED, userName: names.user };
  const { identity, purged } =
    place === undefined
      ? { identity: await takeDown(), purged: undefined }
      : await purge(place.url, writerId, values, context, takeDown);
  const document = { writerId, ...identity, purged: purged === undefined ? null : purgedDocument(purged) };
  const ofIdentity = revoke === undefined ? identityLines(identity) : [];
  context.outcome({ ...document, ...(revoke !== undefined && { revokeByHand: revoke }) }, () =>
    textOf([...ofIdentity, ...(purged === undefined ? [] : purgedLines(purged))]),
  );
  if (revoke !== undefined)
    context.warn(
      `the key of the writer is not revoked: unless you have done it, it stores again what it is told to: ${revoke}`,
    );
  return purged === undefined ? 0 : wipeStatus(purged.done, purged.versionsHidden, context);
}

/** Of a server whose users are none of the IAM of AWS. */
const UNTOUCHED = { isUserDeleted: false, isPolicyDeleted: false, deletedKeys: [], detachedPolicies: [] };

/** Counts the data, takes the identity down so that nothing is added, and deletes the data. */
async function purge(
  location: string,
  writerId: string,
  values: ScuttleValues,
  context: Context,
  takeDown: () => Promise<ScuttledIdentity>,
): Promise<{ readonly identity: ScuttledIdentity; readonly purged: Purged }> {
  const { signal } = context;
  return await withStore({ baseUrl: location, values, context }, async (opened) => {
    const { store, deleter, requests } = opened;
    const part = limitToFolders(store, [`writers/${writerId}/`, `fleet/${writerId}/`]);
    const holdings = await openHoldings(part, signal);
    const found = await survey(part, holdings, signal, () => undefined);
    context.note(`${printable(location)} holds ${surveyText(found)} of writer ${writerId}`);
    const identity = await takeDown();
    recordRunFacts(context, { operation: 'scuttle' });
    const done = await wipe(part, holdings, { found, deleter, signal });
    await forgetDatasets(opened, found.datasetKeys, context);
    return { identity, purged: { location, found, done, versionsHidden: holdings.versionsHidden, requests } };
  });
}

const surveyText = ({ objects, olderVersions, bytes, uploads }: Survey): string =>
  `${formatQuantity(objects, 'object')} (${formatQuantity(uploads, 'upload')}), ` +
  `${formatQuantity(olderVersions, 'older version')} and delete markers, ${formatBytes(bytes)} together`;

const identityLines = (identity: ScuttledIdentity): readonly string[] => {
  const { userName, isUserDeleted, isPolicyDeleted, deletedKeys, detachedPolicies } = identity;
  return [
    isUserDeleted
      ? `deleted the IAM user ${userName} with ${formatQuantity(deletedKeys.length, 'access key')}`
      : `there is no IAM user ${userName}`,
    isPolicyDeleted ? 'deleted its policy' : 'there is no policy of it',
    ...detachedPolicies.map((arn) => `  detached and kept: ${printable(arn)}`),
  ];
};

const purgedLines = ({ location, found, done }: Purged): readonly string[] => [
  ...wipeLines(done, location),
  ...(found.unfinishedHidden === 'unsupported' ? [`  ${unfinishedHiddenText(found.unfinishedHidden)}`] : []),
  ...(found.leftAlone === 0 ? [] : [`  left alone: ${formatQuantity(found.leftAlone, 'object')} of others`]),
];

const purgedDocument = ({ location, found, done, versionsHidden, requests }: Purged) => ({
  location,
  ...foundDocument(found),
  versionsHidden,
  requests,
  ...wipedDocument(done),
});
