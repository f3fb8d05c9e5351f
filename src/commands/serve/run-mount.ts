// `archiver mount`: serves to this computer, and has another program mount that.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { findMounter, type Mounter } from '../../core/serve/mount-program.js';
import { mountFolder, refuseFullFolder } from '../../core/serve/mounted-folder.js';
import { randomToken } from '../../core/serve/token.js';
import type { ReadingValues } from './flags.js';
import { asParts, untilAborted } from './run-serve.js';
import { whileServing } from './while-serving.js';

interface MountValues extends ReadingValues {
  readonly by: Mounter | undefined;
}

/** Runs the command; returns its exit status. */
export async function runMount(
  values: MountValues,
  [url, typed]: readonly [url: string, folder: string],
  context: Context<'mount'>,
): Promise<number> {
  const { env, signal, cwd } = context;
  const folder = resolve(cwd, typed);
  const { mounter, path: program } = findMounter(values.by, env);
  await refuseFullFolder(folder);
  const token = randomToken();
  const address = { host: '127.0.0.1', port: 0 };
  const server = { url, values, address, flag: 'mount', isWebdav: true, token };
  await whileServing(server, context, async ({ servedUrl, location, show, note }) => {
    const mounted = await mountFolder({ mounter, program, servedUrl, token, folder, env, signal });
    try {
      await show(`Mounted ${location} in ${printable(folder)} by ${mounter}`);
      await context.print(`${printable(folder)}\n`);
      await context.streamDocument(asParts({ location, servedUrl, mountFolder: folder, mountedBy: mounter }));
      const isUnmounted = await Promise.race([untilAborted(signal).then(() => undefined), mounted.gone]);
      if (isUnmounted === true) note(`${printable(folder)} was unmounted`);
      if (isUnmounted === false) throw endedError(mounter, folder);
    } finally {
      await mounted.unmount();
    }
  });
  return 0;
}

const endedError = (mounter: Mounter, folder: string): ArchiverError =>
  new ArchiverError('io', `${mounter} has ended, and ${printable(folder)} is not mounted any more`, {
    hint: 'run it again; --verbose shows each request',
  });
