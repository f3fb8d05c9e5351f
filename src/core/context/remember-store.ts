// Remembers opened stores for `archiver context show`. Only a convenience: it never fails its caller.
import { errorText } from '../platform/failures/errors.js';
import { withoutLogin } from '../store/endpoint-url.js';
import { readContext, type RememberedStore, writeContext } from './context-file.js';

const KEPT = 10;

/**
 * Puts the store first among the last ten in the context file (see `contextPath`). Returns why that failed, for a debug line; undefined on
 * success.
 */
export async function rememberStore(file: string, store: RememberedStore): Promise<string | undefined> {
  try {
    const { context, stores } = (await readContext(file)) ?? { context: 'local', stores: [] };
    const { url, region } = store;
    const endpointUrl = withoutLogin(store.endpointUrl);
    const others = stores.filter((other) => other.url !== url || other.endpointUrl !== endpointUrl);
    await writeContext(file, { context, stores: [{ url, region, endpointUrl }, ...others].slice(0, KEPT) });
    return undefined;
  } catch (error) {
    return `the store is not remembered: ${errorText(error)}`;
  }
}
