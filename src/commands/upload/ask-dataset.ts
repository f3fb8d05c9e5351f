// Which dataset an upload continues where its own would be new, and the store has others that may be meant.
import type { Context } from '../../cli/context.js';
import type { Aside } from '../../cli/progress.js';
import type { ArchiveOptions } from '../../core/archive/run/settings.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { hasTerminal } from '../kit/ask.js';

type AskContext = Pick<Context, 'confirm' | 'warn' | 'note' | 'stdin' | 'stderr'>;
type Choices = NonNullable<ArchiveOptions['dataset']>;

export interface Asking {
  /** Runs a question beside the progress. */
  readonly aside: Aside;
  /** True for a dry run, which asks nothing. */
  readonly isPlan: boolean;
  readonly context: AskContext;
}

/** Handles other datasets of folders with the same name: asks on a terminal if there is exactly one, and otherwise mentions them. */
export const namesakeOf =
  ({ context, aside, isPlan }: Asking): NonNullable<Choices['namesake']> =>
  async (datasetId, others) => {
    const [other = ''] = others;
    const mayAsk = others.length === 1 && !isPlan && hasTerminal(context);
    const named = others.map((id) => `--dataset-id ${id}`).join(' or ');
    const question = `The store has ${other}, of a folder of the same name. Continue it instead of beginning ${datasetId}?`;
    return await aside(async () => {
      const isWanted = mayAsk && (await context.confirm(question));
      if (isWanted) context.note(`continuing ${other}; from now on add ${named}`);
      else context.warn(`this begins dataset ${datasetId}; to continue that of a folder of the same name: ${named}`);
      return isWanted ? other : undefined;
    });
  };

/**
 * Handles a name that was typed and that no dataset has as its id: people call one so, and it is continued, or some are called alike. Then a
 * person is asked, and a script is refused. @throws usage
 */
export const typedNameOf =
  ({ context, aside, isPlan }: Asking): NonNullable<Choices['typedName']> =>
  async (name, { named, like }) => {
    const [other = ''] = named;
    if (named.length > 1)
      throw usageError(
        `--dataset ${name} may be ${named.join(', ')}`,
        'write the id, or --new-dataset to begin another',
      );
    if (named.length === 1) {
      await aside(() =>
        Promise.resolve(context.warn(`--dataset ${name} continues ${other}; --new-dataset begins another`)),
      );
      return other;
    }
    if (like.length === 0) return undefined;
    const there = like.map((id) => `--dataset ${id}`).join(' or ');
    if (!isPlan && hasTerminal(context)) {
      const question = `There is no dataset ${name}, and there is ${like.join(' and ')}. Begin ${name}?`;
      if (await aside(() => context.confirm(question))) return undefined;
    }
    throw usageError(
      `there is no dataset ${name}, and one is called like it; nothing was sent`,
      `${there} continues it, --new-dataset begins ${name}`,
    );
  };
