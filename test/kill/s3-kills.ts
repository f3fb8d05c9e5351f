// The kill loop against an S3 server: before and after each request that changes something.
import { execFile, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CLI, type Ran } from '../e2e/upload-cli.js';
import { openTestS3 } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type KillProxy, startKillProxy } from './kill-proxy.js';
import { done, type Scenario } from './scenarios.js';
import { readStore } from './store-state.js';
import type { Place } from './world.js';

interface S3Place extends Place {
  readonly prefix: string;
  start(args: readonly string[]): { readonly child: ChildProcess; readonly ran: Promise<Ran> };
}

export interface Kills {
  readonly kills: number;
  readonly problems: readonly string[];
}

let places = 0;

async function newPlace(proxy: KillProxy, bucket: string): Promise<S3Place> {
  const folder = await tempFolder();
  const source = join(folder, 'source');
  mkdirSync(source);
  const prefix = `kill-${process.pid}-${++places}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
  };
  const start: S3Place['start'] = (args) => {
    let child!: ChildProcess;
    const ran = new Promise<Ran>((resolve) => {
      child = execFile(process.execPath, [CLI, ...args], { env }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      );
    });
    return { child, ran };
  };
  return { source, prefix, url: `s3://${bucket}/${prefix}`, start, run: (...args) => start(args).ran };
}

/** Versions of `before` that are gone or differ. */
const differences = (before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, unknown>): string[] =>
  [...before].filter(([name, content]) => !isDeepStrictEqual(content, now.get(name))).map(([name]) => name);

/** Kills the scenario's command at every change, on the server at `upstream`; says what did not hold. */
export async function killOnS3(upstream: string, bucket: string, scenario: Scenario): Promise<Kills> {
  const proxy = await startKillProxy(upstream);
  const never = (): void => undefined;
  let kills = 0;
  const problems: string[] = [];
  try {
    for (let change = 1; ; change++) {
      for (const when of ['before', 'after'] as const) {
        const place = await newPlace(proxy, bucket);
        const { store } = await openTestS3(upstream, bucket, { prefix: place.prefix });
        await scenario.prepare(place);
        const before = await readStore(store);
        const { child, ran } = ((): ReturnType<S3Place['start']> => {
          const started = place.start(scenario.command(place));
          proxy.arm(change, when, () => void started.child.kill('SIGKILL'));
          return started;
        })();
        const { status } = await ran;
        if (status !== null || child.signalCode === null) return { kills, problems };
        kills++;
        const where = `killed ${when} change ${change}`;
        const killed = await readStore(store);
        problems.push(...differences(before, killed).map((name) => `${where}: ${name}`));
        proxy.arm(0, 'before', never);
        await done(place, scenario.command(place));
        const final = await readStore(store);
        problems.push(...differences(killed, final).map((name) => `${where}, after the rerun: ${name}`));
        if (final.size <= before.size) problems.push(`${where}: the rerun wrote no version`);
      }
    }
  } finally {
    await proxy.close();
  }
}
