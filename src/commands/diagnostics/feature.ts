// Diagnostics: profiles, logs, metrics and traces of runs; comparison of algorithms.
import type { Feature } from '../../cli/feature.js';
import { command as benchmark } from './benchmark.js';
import { command as metrics } from './metrics.js';
import { command as metricsChecks } from './metrics/checks.js';
import { isWatched, OBSERVE_NEEDS, observedBy, observeFlags } from './observe-flags.js';
import { command as profileCollect } from './profile/collect.js';
import { command as profileList } from './profile/list.js';
import { command as profileStats } from './profile/stats.js';

export const diagnostics: Feature = {
  name: 'diagnostics',
  commands: [benchmark, metrics, metricsChecks, profileCollect, profileList, profileStats],
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
