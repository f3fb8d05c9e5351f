// npm run soak:plain: races of four writers at one dataset, again and again, on a server of any kind. Whoever ends with 0 has a version,
// and it restores byte for byte; versions that share a number are listed. Beside some of the races a prune and a sweep run, some writers
// are killed, and some sleep while what they have sent is swept. See --help.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainRaces, type RaceSettings } from './plain-races.js';
import { openSoakStore, STORES } from './servers.js';

const HELP = `npm run soak:plain -- [flags]     (after npm run build)
  --store KIND      ${STORES.join(' | ')} (default 501)
  --races N         how many (default 1000)
  --prune-every N   beside every Nth race prunes mark and sweep, after hours have passed in the store (default 0: never)
  --sleep-every N   in every Nth race a writer sleeps for days while prunes run (default 0: never)
  --kills P         the share of writers that are killed (default 0.05)
  --seed N          draws the same races (default: a new one)
`;

interface Wanted extends RaceSettings {
  readonly store: string;
}

function wanted(): Wanted | undefined {
  const text = { type: 'string' } as const;
  const options = {
    store: text,
    races: text,
    'prune-every': text,
    'sleep-every': text,
    kills: text,
    seed: text,
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help === true) return undefined;
  const store = STORES.find((kind) => kind === (values.store ?? '501') && kind !== 'folder');
  if (store === undefined) throw new Error(`--store is one of ${STORES.join(', ')}, and no folder`);
  return {
    store,
    races: Number(values.races ?? 1000),
    pruneEvery: Number(values['prune-every'] ?? 0),
    sleepEvery: Number(values['sleep-every'] ?? 0),
    kills: Number(values.kills ?? 0.05),
    seed: values.seed ?? String(Math.floor(Math.random() * 1e9)),
  };
}

async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const asked = wanted();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (asked === undefined) {
    say(HELP);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), `archiver-races-${asked.seed}-`));
  const { store, close } = await openSoakStore(asked.store, folder, `races-${asked.seed}-${Date.now()}`);
  say(`seed ${asked.seed}, store ${asked.store}, ${asked.races} races, work folder ${folder}`);
  const races = new PlainRaces({ ...asked, folder, store, say });
  try {
    await races.open();
    await races.run();
  } finally {
    await races.close();
    await close();
  }
  say(races.summary());
  if (races.failures.length === 0) rmSync(folder, { recursive: true, force: true });
  return races.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
