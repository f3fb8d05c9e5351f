// Flags of every command that makes versions, which let it continue in spite of a refusal.
import { flag } from '../../cli/flag.js';
import { CREATE_ONCE } from '../../core/store/create-once-setting.js';

export const createOnceFlag = {
  createOnce: flag.choice(CREATE_ONCE, {
    only: 's3',
    describe:
      'whether the store keeps If-None-Match: yes vouches for it, with no nothing is built on it; auto, when not given, asks it once in 30 days',
  }),
};

/** For commands that replace objects that others may replace, too. */
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

/** For uploads of one folder, whose dataset may be named. */
export const newDatasetFlag = {
  newDataset: flag.on({
    describe: 'where there is no such dataset yet, begin it without asking, whatever others are called',
  }),
};

/** Returns the options of the dataset that these flags set. */
export const guardOptions = ({
  allowMassDelete,
  newStore,
}: {
  readonly allowMassDelete: boolean;
  readonly newStore: boolean;
}): { readonly allowMassDelete: boolean; readonly newStore: boolean } => ({ allowMassDelete, newStore });
