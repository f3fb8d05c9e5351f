// What a dry run of many archives plans, as one upload.
import type { Context } from '../../cli/context.js';
import { destinationOf } from '../../core/archive/inspect-destination.js';
import { roughlyPlanned, type PlannedUpload } from '../../core/archive/plan/planned-upload.js';
import { withStore } from '../kit/store.js';
import { withGates } from '../upload/dry-run.js';
import type { ArchiveOutcome } from './archive-outcome.js';
import type { MigrateCall } from './migrate-call.js';

/** The plans of all archives as one, which budgets and prices are asked about. */
export async function planOf(outcomes: readonly ArchiveOutcome[], call: MigrateCall, context: Context<'migrate'>) {
  const { url, values } = call;
  const { storageClass, shardCount } = values;
  const plans = outcomes.flatMap((one) =>
    one.status === 'planned' ? [roughlyPlanned({ storageClass, ...one.inspected }, shardCount)] : [],
  );
  const destination = await withStore({ baseUrl: url, values, context }, (opened) =>
    destinationOf(opened, { version: 0, isListed: true }, context.signal),
  );
  return await withGates({ planned: joined(plans), destination }, values, context);
}

type Plans = readonly Pick<PlannedUpload, 'classes' | 'entries' | 'objects'>[];

function joined(plans: Plans): Plans[number] {
  const classes = plans.flatMap((plan) => plan.classes);
  const [first] = classes;
  const sum = (key: 'files' | 'bytes' | 'objects' | 'packedBytes'): number =>
    classes.reduce((total, one) => total + one[key], 0);
  const all = { files: sum('files'), bytes: sum('bytes'), objects: sum('objects'), packedBytes: sum('packedBytes') };
  return {
    classes: first === undefined ? [] : [{ storageClass: first.storageClass, ...all }],
    entries: plans.reduce((total, { entries }) => total + entries, 0),
    objects: () => plans.flatMap((plan) => [...plan.objects()]),
  };
}
