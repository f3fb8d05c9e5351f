// The state of the wizard, and values derived from it. Pure.
import type { Capability } from '../../core/access/capabilities/capability.js';
import type { SettingValue } from '../../core/config/change-config.js';
import { errorText } from '../../core/platform/failures/errors.js';
import { bucketUrl, formatStoreUrl, parseStoreUrl } from '../../core/store/store-url.js';
import type { CheckLine, Usability } from '../../core/setup/check-store.js';
import type { CredentialSource } from '../../core/setup/found-credentials.js';
import type { DiffLine } from '../../core/platform/text/line-diff.js';
import { chosenOf, type Parameter } from './parameters.js';
import { addressAt, addressFields, type Place, providerSetting, type StoreKind } from './places.js';

export type Step =
  | 'kind'
  | 'server'
  | 'credentials'
  | 'keys'
  | 'place'
  | 'check'
  | 'parameters'
  | 'test'
  | 'review'
  | 'done';

export type FieldName =
  | 'server'
  | 'account'
  | 'profile'
  | 'accessKeyId'
  | 'secretAccessKey'
  | 'folder'
  | 'bucket'
  | 'region';

/** A line that is being typed; the cursor is an index into the text. */
export interface EditedLine {
  readonly text: string;
  readonly cursor: number;
}

/** A slow task: its status and results. */
export interface Work {
  readonly status: 'idle' | 'running' | 'done';
  readonly lines: readonly CheckLine[];
}

export interface Review {
  readonly path: string;
  readonly isNew: boolean;
  /** Empty when the file has all of it already. */
  readonly lines: readonly DiffLine[];
}

export interface SetupNotice {
  readonly text: string;
  readonly tone: 'warn' | 'bad';
}

export interface SetupState {
  readonly step: Step;
  readonly place: Place;
  /** Kind of the place. */
  readonly kind: StoreKind;
  readonly sources: readonly CredentialSource[];
  /** Index of the chosen one. */
  readonly source: number;
  readonly fields: Readonly<Record<FieldName, EditedLine>>;
  /** Index of the field that is edited, or of the parameter that is chosen. */
  readonly row: number;
  readonly parameters: readonly Parameter[];
  readonly check: Work;
  readonly test: Work;
  readonly usability: Usability;
  /** Capabilities of the store, found by the check. */
  readonly capabilities: readonly Capability[];
  /** Region reported by the bucket. */
  readonly region: string | undefined;
  readonly review: Review | undefined;
  /** Commands to type next, when everything is done. */
  readonly commands: readonly string[];
  readonly notice: SetupNotice | undefined;
  readonly isBusy: boolean;
  /** True while all keys are shown. */
  readonly isHelp: boolean;
  readonly isOver: boolean;
}

/** The answers, for the code that acts on them. */
export interface SetupAnswers {
  readonly kind: StoreKind;
  readonly url: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly region: string | undefined;
  readonly values: Readonly<Record<string, SettingValue | undefined>>;
}

export const IDLE: Work = { status: 'idle', lines: [] };

/** The steps of this kind of store, in order. */
export function stepsOf({
  place,
  kind,
  sources,
  source,
}: Pick<SetupState, 'place' | 'kind' | 'sources' | 'source'>): readonly Step[] {
  const access: readonly Step[] = sources[source]?.kind === 'new' ? ['credentials', 'keys'] : ['credentials'];
  const before: Readonly<Record<StoreKind, readonly Step[]>> = {
    folder: [],
    aws: access,
    compatible: [...(addressFields(place).length === 0 ? [] : (['server'] as const)), ...access],
  };
  return ['kind', ...before[kind], 'place', 'check', 'parameters', 'test', 'review', 'done'];
}

/** The fields of a step. */
export const fieldsOf = ({ step, place, kind }: Pick<SetupState, 'step' | 'place' | 'kind'>): readonly FieldName[] => {
  if (step === 'server') return addressFields(place);
  if (step === 'keys') return ['profile', 'accessKeyId', 'secretAccessKey'];
  if (step !== 'place') return [];
  if (kind === 'folder') return ['folder'];
  return addressFields(place).includes('region') ? ['bucket'] : ['bucket', 'region'];
};

const filled = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** The URL of the store. @throws usage when the input names none */
export function urlOf({ kind, fields }: Pick<SetupState, 'kind' | 'fields'>, home: string): string {
  const bucket = fields.bucket.text.trim();
  if (kind !== 'folder') return formatStoreUrl(parseStoreUrl(bucket.startsWith('s3://') ? bucket : `s3://${bucket}`));
  const path = fields.folder.text
    .trim()
    .replace(/^~(?=\/|$)/, home)
    .replace(/^file:\/\//, '');
  return formatStoreUrl(parseStoreUrl(bucketUrl(path.startsWith('/') ? path : `./${path}`, home)));
}

/** The address of the server, as far as it is known. */
export const addressIn = ({ place, fields }: Pick<SetupState, 'place' | 'fields'>): string | undefined =>
  addressAt(place, {
    server: filled(fields.server.text),
    account: filled(fields.account.text),
    region: filled(fields.region.text),
  });

function addressTrouble(state: SetupState): string | undefined {
  const missing = addressFields(state.place).find((name) => filled(state.fields[name].text) === undefined);
  if (missing === 'account' || missing === 'region') return `name the ${missing}, which is a part of the address`;
  const address = addressIn(state) ?? '';
  return /^https?:\/\//i.test(address) && URL.canParse(address)
    ? undefined
    : 'write the address as https://host or http://host:port';
}

/** The error in the input of this step; undefined when there is none. */
export function troubleOf(state: SetupState, home: string): string | undefined {
  const { step, fields } = state;
  if (step === 'server') return addressTrouble(state);
  if (step !== 'place') return undefined;
  if (fields[state.kind === 'folder' ? 'folder' : 'bucket'].text.trim() === '')
    return state.kind === 'folder' ? 'name a folder' : 'name a bucket';
  try {
    urlOf(state, home);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** All answers so far. @throws usage when the place names no store */
export function answersOf(state: SetupState, home: string): SetupAnswers {
  const { place, kind, sources, source, fields, parameters, region: found } = state;
  const url = urlOf(state, home);
  const asked = Object.fromEntries(parameters.map((one) => [one.key, chosenOf(one)?.value]));
  if (kind === 'folder')
    return {
      kind,
      url,
      profile: undefined,
      endpointUrl: undefined,
      region: undefined,
      values: { 'storage.url': url, ...asked },
    };
  const chosen = sources[source];
  const profile =
    chosen?.kind === 'profile' ? chosen.name : chosen?.kind === 'new' ? filled(fields.profile.text) : undefined;
  const endpointUrl = kind === 'compatible' ? addressIn(state) : undefined;
  const typed = filled(fields.region.text);
  const region = typed ?? (kind === 'aws' ? found : undefined);
  const values = {
    'storage.url': url,
    'aws.profile': profile,
    'aws.endpointUrl': endpointUrl,
    'aws.region': region,
    ...providerSetting(place, endpointUrl),
    ...asked,
  };
  return { kind, url, profile, endpointUrl, region: typed, values };
}

/** True when the user may go on to the next step. */
export function canContinue({ step, check, test, usability, isBusy }: SetupState): boolean {
  if (isBusy) return false;
  if (step === 'check') return check.status === 'done' && usability !== 'none';
  return step !== 'test' || (test.status === 'done' && !test.lines.some(({ tone }) => tone === 'bad'));
}
