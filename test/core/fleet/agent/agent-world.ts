// An agent on stores that are folders, with a clock of its own: a day passes in no time.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signConfig } from '../../../../src/core/fleet/config/signature.js';
import { type Heartbeat, parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import { type AgentOptions, type EndedAgentCycle, runAgent } from '../../../../src/core/fleet/agent/agent.js';
import { agentMemory, agentPath } from '../../../../src/core/fleet/agent/agent-memory.js';
import { type PlanSource, planOf } from '../../../../src/core/fleet/agent/agent-plan.js';
import { HeartbeatSender } from '../../../../src/core/fleet/agent/heartbeat-sender.js';
import { keptConfig } from '../../../../src/core/fleet/agent/kept-config.js';
import { PulledConfig } from '../../../../src/core/fleet/agent/pulled-config.js';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import { type OpenedStore, openStore } from '../../../../src/core/store/open-store.js';
import { wholeStore } from '../../../support/open-s3.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { tempFolder } from '../../../support/temp-folder.js';

export const WRITER = 'nas-1';

/** Of an upload that found nothing new. */
export const archived = (): UploadResult =>
  ({
    uploadId: 'u',
    datasetId: 'd',
    version: 3,
    files: 7,
    bytes: 70,
    storedBytes: 0,
    skipped: [],
    partial: false,
    measured: { files: 7, bytes: 70, packed: { files: 0, bytes: 0 }, suffixed: 0, isRewritten: false },
    changes: { added: 0, modified: 0, deleted: 0, unchanged: 7, gone: 0, noChanges: true, comparedWith: 'cache' },
  }) as unknown as UploadResult;

export interface AgentWorld {
  readonly base: string;
  readonly home: string;
  /** What was told beside cycles. */
  readonly troubles: string[];
  readonly clock: { nowMs: number };
  /** Wraps what heartbeats and configs go through. */
  wrap: (store: WholeStore) => WholeStore;
  /** Signs and puts a config; gives its bytes. */
  publish(yaml: string, options?: { readonly key?: string | readonly string[]; readonly unsigned?: boolean }): void;
  /** The operator's. */
  readonly keys: ReturnType<typeof newPair>;
  /** Public keys that the machine has. */
  trusted: string;
  readonly pulled: () => PlanSource;
  status(): Heartbeat;
  /** Runs an agent until `cycles` have ended. */
  run(
    cycles: number,
    options?: Partial<AgentOptions> & { readonly instanceId?: string },
  ): Promise<readonly EndedAgentCycle[]>;
}

export const newPair = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

/** A key that nobody trusts. */
export const FOREIGN_KEY = newPair().privateKey;

export const yamlOf = (version: number, paths: readonly string[], more = ''): string =>
  [
    `version: ${version}`,
    `writer_id: ${WRITER}`,
    'scan_interval: 1h',
    'watch_paths:',
    ...paths.map((path) => `  - path: ${path}`),
    more,
  ].join('\n');

export async function agentWorld(): Promise<AgentWorld> {
  const folder = await tempFolder();
  const [base, home] = [join(folder, 'store'), join(folder, 'home')];
  const keys = newPair();
  const troubles: string[] = [];
  const clock = { nowMs: Date.parse('2026-05-01T00:00:00Z') };
  const key = join(base, 'fleet', WRITER, 'config.yaml');
  const path = agentPath(home, { baseUrl: `file://${base}`, writerId: WRITER });
  const memory = () => agentMemory(path, (text) => void troubles.push(text));
  let instances = 0;
  const open = async (): Promise<OpenedStore> => {
    const opened = await openStore(`file://${base}`, { env: {}, retry: { maxAttempts: 1 } });
    const store = world.wrap(wholeStore(opened));
    return { ...opened, store, deleter: store };
  };
  const world: AgentWorld = {
    keys,
    trusted: keys.publicKey,
    base,
    home,
    troubles,
    clock,
    wrap: (store) => store,
    publish(yaml, { key: signedWith = keys.privateKey, unsigned = false } = {}) {
      mkdirSync(join(base, 'fleet', WRITER), { recursive: true });
      writeFileSync(key, yaml);
      if (unsigned) rmSync(`${key}.sig`, { force: true });
      else {
        const signers = [signedWith].flat().map((pem) => createPrivateKey(pem));
        writeFileSync(`${key}.sig`, signConfig(Buffer.from(yaml), ...signers).bytes);
      }
    },
    pulled: () =>
      new PulledConfig({
        writerId: WRITER,
        publicKeys: world.trusted,
        kept: keptConfig(path),
        lastVersion: () => memory().newestConfig(),
        planOf: (config) =>
          planOf(config, {
            intervalMs: undefined,
            defaultIntervalMs: 1000,
            storageClass: 'STANDARD',
            trackDeletes: false,
            ignoreCtime: false,
          }),
        onTrouble: (text) => void troubles.push(text),
        withFleet: async (work) => {
          const opened = await open();
          return await work(opened.store).finally(() => opened.close());
        },
      }),
    status: () => parseHeartbeat(readFileSync(join(base, 'writers', WRITER, 'status.json'))),
    async run(cycles, { instanceId = `instance-${++instances}`, ...options } = {}) {
      const ended: EndedAgentCycle[] = [];
      const controller = new AbortController();
      await runAgent({
        identity: { writerId: WRITER, host: 'host', instanceId, archiverVersion: '0.0.0' },
        plans: world.pulled(),
        archive: () => Promise.resolve(archived()),
        heartbeats: new HeartbeatSender({
          writerId: WRITER,
          open,
          onTrouble: (text) => void troubles.push(text),
        }),
        memory: memory(),
        watching: { storeOf: () => Promise.resolve(`file://${base}`), isResendExpected: false },
        clock: {
          now: () => new Date(clock.nowMs),
          random: () => 0.5,
          sleep: (ms) => Promise.resolve(void (clock.nowMs += ms)),
        },
        signal: controller.signal,
        intervalMs: 1000,
        once: false,
        ...options,
        onCycle(cycle) {
          ended.push(cycle);
          options.onCycle?.(cycle);
          if (ended.length === cycles) controller.abort();
        },
      });
      return ended;
    },
  };
  return world;
}
