// Commands about the context need to know what was given for this call.
import type { Values } from '../../cli/flag.js';
import { globalFlags } from '../../cli/global-flags.js';

export const contextFlags = { context: globalFlags.context };

/** What the flags become. */
export type ContextValues = Values<typeof contextFlags>;
