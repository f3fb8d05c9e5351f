// Diagnostics: profiles, logs, metrics and traces of runs; comparison of algorithms.
import type { Feature } from '../../cli/feature.js';
import { isWatched, OBSERVE_NEEDS, observedBy, observeFlags } from './observe-flags.js';

export const diagnostics: Feature = {
  name: 'diagnostics',
  groups: [{ path: 'profile', summary: 'see why a run is slow, or what it keeps in memory' }],
  globals: {
    flags: observeFlags,
    needs: OBSERVE_NEEDS,
    // A config file in the working directory must not open anything to others.
    notInFile: ['allowPublicObservability'],
  },
  follow(call) {
    const asked = observedBy(call);
    return asked && import('./observe-run.js').then(({ observeRun }) => observeRun(asked, call.context, call));
  },
  watch: (call) => (isWatched(call) ? import('./watch-run.js').then(({ watchRun }) => watchRun(call)) : undefined),
};
