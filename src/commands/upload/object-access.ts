// How the bucket of an s3:// SOURCE is reached: by what the config file says of it as a store, and else like STORE; flags about the source
// go before both.
import type { Context } from '../../cli/context.js';
import { storeAt } from '../../cli/named-stores.js';
import { accessAt } from '../kit/access-at.js';
import type { AddressedValues, StoreValues } from '../kit/store.js';

export interface ObjectAccessValues extends StoreValues {
  readonly sourceProfile: string | undefined;
  readonly sourceRegion: string | undefined;
  readonly sourceEndpointUrl: string | undefined;
}

export interface ObjectAccess {
  readonly values: AddressedValues;
  readonly context: Context<'upload'>;
}

/** Returns the values of the flags about a store as they hold for the source `given`, which is at `url`. */
export function objectAccess(
  { given, url }: { readonly given: string; readonly url: string },
  values: ObjectAccessValues,
  context: Context<'upload'>,
): ObjectAccess {
  const { sourceProfile: profile, sourceRegion: region, sourceEndpointUrl: address } = values;
  const { values: own, context: around } = configured({ given, url }, values, context);
  const isElsewhere = address !== undefined || profile !== undefined;
  const reached = {
    ...own,
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    // A profile may have an address of its own.
    ...(isElsewhere && { endpointUrl: address === 'aws' ? null : address }),
    storeMode: undefined,
    limitUpload: undefined,
    createOnce: undefined,
  };
  const origins = region === undefined ? around.origins : { ...around.origins, region: 'flag' as const };
  return { values: reached, context: { ...around, origins } };
}

function configured(
  { given, url }: { readonly given: string; readonly url: string },
  values: ObjectAccessValues,
  context: Context<'upload'>,
): { readonly values: StoreValues; readonly context: Context<'upload'> } {
  // The region that was said is that of STORE.
  if (storeAt(given, url, context) === undefined)
    return { values, context: { ...context, origins: { ...context.origins, region: 'default' } } };
  const access = accessAt({ text: given, url, isTyped: false }, { ...values }, context);
  return { values: { ...values, ...access.values }, context: access.context };
}
