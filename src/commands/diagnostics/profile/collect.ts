import { resolve } from 'node:path';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Context } from '../../../cli/context.js';
import { flag, type Values } from '../../../cli/flag.js';
import { conflicts } from '../../../cli/rule.js';
import type { Collected } from '../../../core/diagnostics/observe/collect.js';
import { type Kind, KINDS } from '../../../core/diagnostics/observe/kinds.js';
import { isGiven } from '../../kit/run.js';
import { DEFAULT_ADDRESS, runningFlag } from './running-flag.js';
import { profileDocuments, profileText } from './shown.js';

const flags = {
  cpu: flag.on({ describe: 'where CPU time goes, in all threads' }),
  memory: flag.on({ describe: 'JavaScript memory in use, by where it was allocated' }),
  goroutine: flag.on({ describe: 'threads, and what is waited for: Node has no goroutines' }),
  block: flag.on({ describe: 'what ran while the event loop was blocked for 50 ms or more' }),
  mutex: flag.on({ describe: 'how long worker threads waited for work: Node has no mutexes' }),
  trace: flag.on({ describe: 'an execution trace that ui.perfetto.dev opens' }),
  allocs: flag.on({ describe: 'JavaScript memory that was allocated meanwhile, in use or not' }),
  duration: flag.int([1, 3600], { short: 'd', default: 30, describe: 'seconds; of a call, all of it by default' }),
  outputDir: flag.folder({ short: 'o', describe: 'where the files go; a new folder in the temp folder by default' }),
  ...runningFlag,
};

export const command = defineCommand({
  path: 'profile collect',
  summary: 'write profiles of a running archiver, or of a call',
  description:
    'Asks a running archiver that was started with --pprof, or runs CALL, what follows archiver on a command line, in ' +
    'this process. What CALL prints goes to stderr, and its exit status is that of profile collect. Without a kind, --cpu and --memory. ' +
    'Written are .pb.gz for go tool pprof, .cpuprofile and .heapprofile of each thread for Chrome and Visual Studio Code, trace.json ' +
    'for Perfetto. docs/observability.md says what each is.',
  args: [arg.text('CALL', { describe: 'a call to profile, after --', optional: true, many: true })],
  flags,
  rules: [
    // A thread has only one memory profiler.
    conflicts('memory', ['allocs']),
    {
      kind: 'check',
      text: '--pprof-addr names a running archiver, and CALL is run here: give one of the two',
      ok: ({ pprofAddr }, [call]) => pprofAddr === undefined || call.length === 0,
    },
  ],
  examples: [
    'archiver profile collect --cpu -d 30',
    'archiver profile collect --cpu --trace -- upload ./folder s3://acme-archive/lab',
  ],
  exits: { 0: 'written', 1: 'no archiver answered, or the files cannot be written' },
  async run(values, [call], context: Context<'profile collect'>) {
    const asked = KINDS.filter((kind) => values[kind]);
    const kinds: readonly Kind[] = asked.length === 0 ? ['cpu', 'memory'] : asked;
    const files = await import('../../../core/diagnostics/observe/profile-files.js');
    const { result, status } =
      call.length === 0 ? await ofRunning(kinds, values, context) : await ofCall(kinds, values, call, context);
    const { outputDir } = values;
    const folder = await files.profileFolder(outputDir === undefined ? undefined : resolve(context.cwd, outputDir));
    await files.writeProfiles(folder, result);
    for (const trouble of result.troubles) context.warn(trouble);
    const names = new Set(result.files.map(({ name }) => name));
    const written = (await files.findProfiles(folder)).filter(({ path }) => names.has(path.slice(folder.length + 1)));
    const document = {
      folder,
      profiles: profileDocuments(written),
      troubles: result.troubles,
      exitStatus: status ?? null,
    };
    const text = await profileText(written, context);
    context.result(document, () => text);
    return status;
  },
});

type Collecting = Values<typeof flags>;

async function ofRunning(
  kinds: readonly Kind[],
  { duration, pprofAddr }: Collecting,
  context: Context<'profile collect'>,
) {
  const { collectRunning } = await import('../../../core/diagnostics/observe/ask-running.js');
  const isLong = kinds.some((kind) => kind !== 'memory' && kind !== 'goroutine');
  if (isLong) context.note(`collecting for ${duration} s`);
  const result = await collectRunning(pprofAddr ?? DEFAULT_ADDRESS, kinds, isLong ? duration : 0, context.signal);
  return { result, status: undefined };
}

async function ofCall(
  kinds: readonly Kind[],
  { duration }: Collecting,
  call: readonly string[],
  context: Context<'profile collect'>,
) {
  const { Collector } = await import('../../../core/diagnostics/observe/collect.js');
  const { phaseConsumer } = await import('../../../core/diagnostics/observe/execution-trace.js');
  const collector = await Collector.open({ live: false });
  let result: Promise<Collected> | undefined;
  const stopOnce = await collector.begin(kinds);
  const stop = (): Promise<Collected> => (result ??= stopOnce());
  const timer = isGiven(context, 'duration')
    ? setTimeout(() => void stop().catch(() => undefined), duration * 1000)
    : undefined;
  const { stdin, stderr, signal } = context;
  try {
    const status = await context.runCall(call, { stdin, stdout: stderr, stderr, signal, followers: [phaseConsumer()] });
    return { result: await stop(), status };
  } finally {
    clearTimeout(timer);
    await stop().catch(() => undefined); // the error is thrown already
  }
}
