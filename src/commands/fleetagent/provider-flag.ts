// Which server policies are written for.
import { flag } from '../../cli/flag.js';
import { FLEET_PROVIDERS } from '../../core/fleet/bundle/store-server.js';

/** `about` ends in a blank. */
export const providerFlag = (about: string) => ({
  provider: flag.choice(FLEET_PROVIDERS, {
    describe: `${about}wasabi, b2 and custom are taken as other, which is the least that servers understand; garage has no policies and is refused`,
  }),
});
