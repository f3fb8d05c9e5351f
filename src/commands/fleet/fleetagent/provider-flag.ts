// The server that policies are written for.
import { flag } from '../../../cli/flag.js';
import { FLEET_PROVIDERS } from '../../../core/fleet/bundle/store-server.js';

/** The flag; `about` begins its help text and ends with a space. */
export const providerFlag = (about: string) => ({
  provider: flag.choice(FLEET_PROVIDERS, {
    describe: `${about}wasabi, ovh, seaweedfs, rustfs and custom are taken as other, which is the least that servers understand; those without policies of users are refused, with the reason`,
  }),
});
