// The real screen over a store whose ports a test decides, with keys as a terminal sends them.
import { PassThrough } from 'node:stream';
import { render, renderToString } from 'ink';
import { onTestFinished } from 'vitest';
import { no, yes } from '../../../src/core/access/capabilities/capability.js';
import { capability } from '../../../src/core/access/capabilities/consequences.js';
import { LARGEST_PART } from '../../../src/core/access/capabilities/judge.js';
import { SetupScreen } from '../../../src/screens/setup/setup-screen.js';
import type { SetupState } from '../../../src/stores/setup/setup-state.js';
import {
  createSetupStore,
  type SetupOptions,
  type SetupPorts,
  type SetupStore,
} from '../../../src/stores/setup/setup-store.js';
import { createKeySource } from '../../../src/ui/keys.js';
import { inKit } from '../../support/in-kit.js';

/** As of a server that has little. */
const CAPABILITIES = [
  capability('create-once', yes('of two writers at one key one is refused')),
  capability('versions', no('versioning was never turned on')),
  capability('object-lock', no('the store does not have it')),
  capability('storage-classes', no('STANDARD alone; refused: STANDARD_IA, ONEZONE_IA, GLACIER_IR, GLACIER')),
  capability('largest-part', LARGEST_PART),
  capability('clock', yes('within a minute of that of this computer')),
];

const PORTS: SetupPorts = {
  saveKeys: () => Promise.resolve(),
  check: (_answers, tell) => {
    tell({ tone: 'good', text: 'an object can be put' });
    return Promise.resolve({ usability: 'all', capabilities: CAPABILITIES, region: 'eu-central-1' });
  },
  test: (_answers, tell) => {
    tell({ tone: 'good', text: '1 MB of test data: the same byte for byte' });
    return Promise.resolve(true);
  },
  review: ({ url }) =>
    Promise.resolve({
      path: '/home/anna/.archiver.yaml',
      isNew: false,
      lines: [
        { sign: ' ', text: 'storage:' },
        { sign: '-', text: '  url: s3://old' },
        { sign: '+', text: `  url: ${url}` },
      ],
    }),
  write: () =>
    Promise.resolve(['archiver upload ./FOLDER --dry-run', 'archiver upload ./FOLDER', 'archiver dashboard']),
};

export interface Wizard {
  readonly store: SetupStore;
  readonly state: () => SetupState;
  /** Keys as a terminal sends them, in one chunk; then whatever they began has settled. */
  readonly press: (keys: string) => Promise<void>;
  readonly frame: (columns: number, rows: number, look?: { unicode?: boolean; color?: boolean }) => string[];
}

// oxlint-disable-next-line no-control-regex
const CODES = /\u001b\[[\d;]*m/g;

/** Mounts the wizard, so that it obeys keys. */
export function openSetup(
  options: Partial<Omit<SetupOptions, 'ports'>> & { readonly ports?: Partial<SetupPorts> } = {},
): Wizard {
  const store = createSetupStore({
    home: '/home/anna',
    place: 'folder',
    sources: [
      { kind: 'profile', name: 'default', gives: 'keys in the AWS files' },
      { kind: 'profile', name: 'lab\u001b[31m', gives: 'single sign-on (aws sso login)' },
      { kind: 'machine' },
      { kind: 'new' },
    ],
    profile: undefined,
    fields: { folder: '/home/anna/archiver-store' },
    settings: new Map(),
    signal: new AbortController().signal,
    ...options,
    ports: { ...PORTS, ...options.ports },
  });
  const keys = createKeySource();
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  stdout.resume();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  const app = render(inKit(<SetupScreen store={store} />, { keys }), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    patchConsole: false,
  });
  onTestFinished(() => app.unmount());
  return {
    store,
    state: store.getState,
    async press(typed) {
      keys.write(typed);
      for (let turn = 0; turn < 3; turn++) await new Promise<void>((done) => void setImmediate(() => done()));
    },
    frame: (columns, rows, look = {}) =>
      renderToString(inKit(<SetupScreen store={store} />, { columns, rows, color: false, ...look }), { columns })
        .replaceAll(CODES, '')
        .split('\n')
        .map((line) => line.trimEnd()),
  };
}
