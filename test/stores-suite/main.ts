// npm run test:stores: one list of scenarios on every server that can be started here, and a table of what holds on which. Drives
// dist/cli.js as users do. The last line is `N passed, N failed`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KNOWN_SERVERS, type KnownServer } from '../servers/known-servers.js';
import { byTurns } from '../support/by-turns.js';
import { CLI, stopAll } from '../soak/machine.js';
import { runServer, stopServers } from './run-server.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/all.js';
import { asMarkdown, asText, sumOf, tableOf, withTable, type Column } from './table.js';

const DOCUMENT = fileURLToPath(new URL('../../docs/providers.md', import.meta.url));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const HELP = `npm run test:stores -- [flags]
  --server A,B      only these (default: the half whose turn it is today; all with --write or ARCHIVER_TEST_ALL=1):
                    ${KNOWN_SERVERS.map(({ id }) => id).join(', ')}
  --scenario TEXT   only scenarios whose name has this text
  --at-once N       servers at a time (default 3)
  --seed TEXT       what sources and kills are drawn from (default: the day)
  --keep            leave the folders of servers on which something failed
  --write           put the table into docs/providers.md
`;

interface Wanted {
  readonly servers: readonly KnownServer[];
  readonly scenarios: readonly Scenario[];
  readonly atOnce: number;
  readonly seed: string;
  readonly keep: boolean;
  readonly write: boolean;
}

function wanted(): Wanted | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { server: text, scenario: text, 'at-once': text, seed: text, keep: flag, write: flag, help: flag };
  const { values } = parseArgs({ options });
  if (values.help === true) return undefined;
  const ids = values.server?.split(',');
  const unknown = ids?.find((id) => !KNOWN_SERVERS.some((server) => server.id === id));
  if (unknown !== undefined) throw new Error(`no server is called '${unknown}'`);
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(values.scenario ?? ''));
  if (scenarios.length === 0) throw new Error(`no scenario has '${values.scenario}' in its name`);
  const isPartial = ids !== undefined || scenarios.length < SCENARIOS.length;
  if (values.write === true && isPartial) throw new Error('--write needs all servers and all scenarios');
  const due = new Set(ids === undefined && values.write !== true ? byTurns(KNOWN_SERVERS, 2) : []);
  return {
    servers: KNOWN_SERVERS.filter((server) => ids?.includes(server.id) ?? (values.write || due.has(server))),
    scenarios,
    atOnce: Number(values['at-once'] ?? 3),
    seed: values.seed ?? new Date().toISOString().slice(0, 10),
    keep: values.keep === true,
    write: values.write === true,
  };
}

interface Ran {
  readonly columns: readonly Column[];
  /** Lines that say why servers were left out. */
  readonly skipped: readonly string[];
}

/** Some servers at a time; the others wait. */
async function runAll({ servers, scenarios, atOnce, seed, keep }: Wanted): Promise<Ran> {
  const columns: Column[] = [];
  const skipped: string[] = [];
  const queue = [...servers];
  const worker = async (): Promise<void> => {
    for (let server = queue.shift(); server !== undefined; server = queue.shift()) {
      const { name } = server;
      const startedAt = performance.now();
      const reason = server.lacking();
      if (reason !== undefined) {
        skipped.push(`${name} is left out: ${reason}`);
        continue;
      }
      try {
        columns.push({ name, outcomes: await runServer(server, scenarios, { seed, say, keep }) });
      } catch (error) {
        skipped.push(`${name} is left out: it does not start: ${(error as Error).message}`);
      }
      say(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const order = (name: string): number => servers.findIndex((server) => server.name === name);
  return { columns: columns.toSorted((a, b) => order(a.name) - order(b.name)), skipped };
}

async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const asked = wanted();
  if (asked === undefined) {
    say(HELP);
    return 0;
  }
  if (!existsSync(CLI)) throw new Error('there is no dist/cli.js: npm run build');
  say(`seed ${asked.seed}, ${asked.scenarios.length} scenarios`);
  const { columns, skipped } = await runAll(asked);
  const names = asked.scenarios.map(({ name }) => name);
  const rows = tableOf(names, columns);
  say(`\n${asText(rows)}\n`);
  for (const line of skipped) say(line);
  const { text, failed } = sumOf(columns, skipped.length);
  if (asked.write) {
    const document = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : undefined;
    writeFileSync(DOCUMENT, withTable(document, asMarkdown(rows)));
  }
  say(text);
  return failed === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopAll();
    void stopServers().finally(() => process.kill(process.pid, signal));
  });
process.exitCode = await main();
