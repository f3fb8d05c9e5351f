// What the wizard knows, and what follows from it. Pure.
import type { Capability } from '../../core/capabilities/capability.js';
import type { SettingValue } from '../../core/config/change-config.js';
import { errorText } from '../../core/failures/errors.js';
import { bucketUrl, formatStoreUrl, parseStoreUrl } from '../../core/object-store/store-url.js';
import type { CheckLine, Usability } from '../../core/setup/check-store.js';
import type { CredentialSource } from '../../core/setup/found-credentials.js';
import type { DiffLine } from '../../core/text/line-diff.js';
import { chosenOf, type Parameter } from './parameters.js';

export const KINDS = ['folder', 'aws', 'compatible'] as const;
export type StoreKind = (typeof KINDS)[number];

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

export type FieldName = 'server' | 'profile' | 'accessKeyId' | 'secretAccessKey' | 'folder' | 'bucket' | 'region';

/** A line that is being typed; the cursor is an index into the text. */
export interface EditedLine {
  readonly text: string;
  readonly cursor: number;
}

/** What takes a while: how far it is, and what was found. */
export interface Work {
  readonly status: 'idle' | 'running' | 'done';
  readonly lines: readonly CheckLine[];
}

export interface Review {
  readonly path: string;
  readonly isNew: boolean;
  /** None where the file says all of it already. */
  readonly lines: readonly DiffLine[];
}

export interface SetupNotice {
  readonly text: string;
  readonly tone: 'warn' | 'bad';
}

export interface SetupState {
  readonly step: Step;
  readonly kind: StoreKind;
  readonly sources: readonly CredentialSource[];
  /** Which of them. */
  readonly source: number;
  readonly fields: Readonly<Record<FieldName, EditedLine>>;
  /** Which field of the step is edited, or which parameter is chosen. */
  readonly row: number;
  readonly parameters: readonly Parameter[];
  readonly check: Work;
  readonly test: Work;
  readonly usability: Usability;
  /** What the store can do, as it was found out with that. */
  readonly capabilities: readonly Capability[];
  /** That the bucket has revealed. */
  readonly region: string | undefined;
  readonly review: Review | undefined;
  /** To type next, when all is done. */
  readonly commands: readonly string[];
  readonly notice: SetupNotice | undefined;
  readonly isBusy: boolean;
  /** All keys are shown. */
  readonly isHelp: boolean;
  readonly isOver: boolean;
}

/** What was answered, for whoever acts on it. */
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
export function stepsOf({ kind, sources, source }: Pick<SetupState, 'kind' | 'sources' | 'source'>): readonly Step[] {
  const access: readonly Step[] = sources[source]?.kind === 'new' ? ['credentials', 'keys'] : ['credentials'];
  const before: Readonly<Record<StoreKind, readonly Step[]>> = {
    folder: [],
    aws: access,
    compatible: ['server', ...access],
  };
  return ['kind', ...before[kind], 'place', 'check', 'parameters', 'test', 'review', 'done'];
}

/** The fields of a step. */
export const fieldsOf = ({ step, kind }: Pick<SetupState, 'step' | 'kind'>): readonly FieldName[] => {
  if (step === 'server') return ['server'];
  if (step === 'keys') return ['profile', 'accessKeyId', 'secretAccessKey'];
  if (step !== 'place') return [];
  return kind === 'folder' ? ['folder'] : ['bucket', 'region'];
};

const filled = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** The store that was named. @throws usage for what names none */
export function urlOf({ kind, fields }: Pick<SetupState, 'kind' | 'fields'>, home: string): string {
  const bucket = fields.bucket.text.trim();
  if (kind !== 'folder') return formatStoreUrl(parseStoreUrl(bucket.startsWith('s3://') ? bucket : `s3://${bucket}`));
  const path = fields.folder.text
    .trim()
    .replace(/^~(?=\/|$)/, home)
    .replace(/^file:\/\//, '');
  return formatStoreUrl(parseStoreUrl(bucketUrl(path.startsWith('/') ? path : `./${path}`, home)));
}

/** What is wrong with what was typed in this step; undefined when nothing is. */
export function troubleOf(state: SetupState, home: string): string | undefined {
  const { step, fields } = state;
  if (step === 'server') {
    const address = fields.server.text.trim();
    return /^https?:\/\//i.test(address) && URL.canParse(address)
      ? undefined
      : 'write the address as https://host or http://host:port';
  }
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

/** All answers, as far as they are given. @throws usage where the place names no store */
export function answersOf(state: SetupState, home: string): SetupAnswers {
  const { kind, sources, source, fields, parameters, region: found } = state;
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
  const endpointUrl = kind === 'compatible' ? filled(fields.server.text) : undefined;
  const typed = filled(fields.region.text);
  const region = typed ?? (kind === 'aws' ? found : undefined);
  const values = {
    'storage.url': url,
    'aws.profile': profile,
    'aws.endpointUrl': endpointUrl,
    'aws.region': region,
    ...asked,
  };
  return { kind, url, profile, endpointUrl, region: typed, values };
}

/** The step may be left for the next one. */
export function mayGoOn({ step, check, test, usability, isBusy }: SetupState): boolean {
  if (isBusy) return false;
  if (step === 'check') return check.status === 'done' && usability !== 'none';
  return step !== 'test' || (test.status === 'done' && !test.lines.some(({ tone }) => tone === 'bad'));
}
