// Flags of every command that makes versions: what a refusal says goes on all the same.
import { flag } from '../../cli/flag.js';
import { CREATE_ONCE } from '../../core/store/create-once-setting.js';

export const createOnceFlag = {
  createOnce: flag.choice(CREATE_ONCE, {
    only: 's3',
    describe:
      'whether the store keeps If-None-Match: yes vouches for it, with no nothing is built on it; auto, when not given, asks it once in 30 days',
  }),
};

/** Of commands that replace what others may replace too. */
export const exclusiveFlag = {
  ...createOnceFlag,
  exclusive: flag.on({
    describe: 'nobody else writes to this place now: replace manifests also where the store creates no key only once',
  }),
};

export const guardFlags = {
  ...createOnceFlag,
  allowMassDelete: flag.on({
    describe: 'even where most of the folder is gone: it is empty, or less than half of the version before',
  }),
  newStore: flag.on({
    describe: 'begin anew where the store forgot the dataset: this computer remembers versions there, and it has none',
  }),
};

/** What they say of the dataset. */
export const guardOptions = ({
  allowMassDelete,
  newStore,
}: {
  readonly allowMassDelete: boolean;
  readonly newStore: boolean;
}): { readonly allowMassDelete: boolean; readonly newStore: boolean } => ({ allowMassDelete, newStore });
