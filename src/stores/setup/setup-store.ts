// The wizard: its steps forward and back, and the work between them. Slow work is cancelled when its step is left.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { errorText, isArchiverError } from '../../core/platform/failures/errors.js';
import type { CheckLine } from '../../core/setup/check-store.js';
import type { CredentialSource } from '../../core/setup/found-credentials.js';
import type { TypedKeys } from '../../core/setup/keys-file.js';
import { parametersOf, withChoices } from './parameters.js';
import { kindOf, type Place, PLACES, initialFields } from './places.js';
import {
  answersOf,
  type EditedLine,
  type FieldName,
  fieldsOf,
  IDLE,
  canContinue,
  type Review,
  type SetupAnswers,
  type SetupState,
  type Step,
  stepsOf,
  troubleOf,
} from './setup-state.js';

type Tell = (line: CheckLine) => void;

/** The functions through which the wizard acts. */
export interface SetupPorts {
  readonly saveKeys: (keys: TypedKeys) => Promise<void>;
  readonly check: (
    answers: SetupAnswers,
    tell: Tell,
    signal: AbortSignal,
  ) => Promise<Pick<SetupState, 'usability' | 'capabilities' | 'region'>>;
  readonly test: (answers: SetupAnswers, tell: Tell, signal: AbortSignal) => Promise<unknown>;
  readonly review: (answers: SetupAnswers) => Promise<Review>;
  /** Writes the config and returns the commands to type next. */
  readonly write: (answers: SetupAnswers) => Promise<readonly string[]>;
}

export interface SetupOptions {
  readonly ports: SetupPorts;
  readonly home: string;
  readonly place: Place;
  readonly sources: readonly CredentialSource[];
  /** The profile that is chosen at first. */
  readonly profile: string | undefined;
  readonly fields: Partial<Readonly<Record<FieldName, string>>>;
  readonly settings: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

export interface SetupActions {
  /** Goes to the next step, if this one is complete. */
  readonly next: () => void;
  /** Goes to the step before; answers are kept. */
  readonly back: () => void;
  /** Moves one row up or down. */
  readonly move: (by: 1 | -1) => void;
  /** Chooses another value of the parameter. */
  readonly change: (by: 1 | -1) => void;
  readonly edit: (line: EditedLine) => void;
  /** Checks or tests once more. */
  readonly retry: () => void;
  /** Shows or hides all keys. */
  readonly help: (isShown: boolean) => void;
  readonly quit: () => void;
  /** Resolves when all work has ended and cleaned up, including cancelled work. */
  readonly settled: () => Promise<void>;
}

export type SetupStore = StoreApi<SetupState & { readonly do: SetupActions }>;

const line = (text = ''): EditedLine => ({ text, cursor: text.length });
/** Replaces values that were filled in for the place before; typed values stay. */
function refilled(fields: SetupState['fields'], before: Place, after: Place): SetupState['fields'] {
  const [old, fresh] = [initialFields(before), initialFields(after)];
  const own = (['server', 'region', 'account'] as const).flatMap((name) =>
    ['', old[name]].includes(fields[name].text) ? [[name, line(fresh[name])] as const] : [],
  );
  return { ...fields, ...Object.fromEntries(own) };
}

const clamp = (value: number, count: number): number => Math.max(0, Math.min(value, count - 1));

function initialState({ place, sources, profile, fields: given, settings }: SetupOptions): SetupState {
  const fields = { ...initialFields(place), ...given };
  const named = sources.findIndex((one) => one.kind === 'profile' && one.name === profile);
  return {
    step: 'kind',
    place,
    kind: kindOf(place),
    sources,
    source: Math.max(0, named),
    fields: {
      server: line(fields.server),
      account: line(fields.account),
      profile: line(fields.profile ?? 'archiver'),
      accessKeyId: line(),
      secretAccessKey: line(),
      folder: line(fields.folder),
      bucket: line(fields.bucket),
      region: line(fields.region),
    },
    row: 0,
    parameters: parametersOf(place, settings),
    check: IDLE,
    test: IDLE,
    usability: 'none',
    capabilities: [],
    region: undefined,
    review: undefined,
    commands: [],
    notice: undefined,
    isBusy: false,
    isHelp: false,
    isOver: false,
  };
}

/** A store for one run of the wizard. */
export function createSetupStore(options: SetupOptions): SetupStore {
  const { ports, home, settings, signal } = options;
  return createStore<SetupState & { readonly do: SetupActions }>()((set, get) => {
    let working = new AbortController();
    let ended: Promise<unknown> = Promise.resolve();
    /** Set while the file is being written, which cannot be cancelled. */
    let isWriting = false;
    const stop = (): void => working.abort();

    const go = (step: Step): void => set({ step, row: 0, notice: undefined, isBusy: false });
    const fail = (error: unknown): void => {
      const hint = isArchiverError(error) && error.hint !== undefined ? `; ${error.hint}` : '';
      set({ notice: { text: errorText(error) + hint, tone: 'bad' } });
    };

    /** Runs slow work; its result counts only while its step is still current. */
    const run = <T>(work: (signal: AbortSignal) => Promise<T>, done: (result: T) => void): void => {
      stop();
      const own = new AbortController();
      working = own;
      set({ isBusy: true, notice: undefined });
      const ending = work(AbortSignal.any([own.signal, signal])).then(
        (result) => {
          if (own.signal.aborted) return;
          set({ isBusy: false });
          done(result);
        },
        (error: unknown) => {
          if (own.signal.aborted) return;
          set({ isBusy: false });
          fail(error);
        },
      );
      ended = Promise.all([ended, ending]);
    };
    const write = async (): Promise<readonly string[]> => {
      isWriting = true;
      return await ports.write(answersOf(get(), home)).finally(() => (isWriting = false));
    };
    const teller =
      (name: 'check' | 'test', own: AbortSignal): Tell =>
      (told) => {
        if (!own.aborted) set({ [name]: { ...get()[name], lines: [...get()[name].lines, told] } });
      };
    const end = (name: 'check' | 'test'): void => set({ [name]: { ...get()[name], status: 'done' } });

    const check = (): void => {
      set({ check: { status: 'running', lines: [] }, test: IDLE, usability: 'none', capabilities: [] });
      run(
        (own) => ports.check(answersOf(get(), home), teller('check', own), own),
        (found) => {
          set(found);
          end('check');
        },
      );
    };
    const test = (): void => {
      set({ test: { status: 'running', lines: [] } });
      if (get().usability === 'all') {
        run(
          (own) => ports.test(answersOf(get(), home), teller('test', own), own),
          () => end('test'),
        );
        return;
      }
      const text = 'not tested: these credentials cannot read, list or delete what they put';
      set({ test: { status: 'done', lines: [{ tone: 'warn', text }] } });
    };

    /** Starts the work of a step. */
    const enter = (step: Step): void => {
      go(step);
      if (step === 'check') check();
      if (step === 'test' && get().test.status !== 'done') test();
      if (step === 'parameters') set({ parameters: asked(get()) });
      if (step === 'review')
        run(
          () => ports.review(answersOf(get(), home)),
          (review) => set({ review }),
        );
    };
    const asked = ({ place, parameters }: SetupState): SetupState['parameters'] =>
      withChoices(parametersOf(place, settings), parameters);

    const following = (by: 1 | -1): Step | undefined => {
      const steps = stepsOf(get());
      return steps[steps.indexOf(get().step) + by];
    };
    const goOn = (): void => {
      const step = following(1);
      if (step !== undefined) enter(step);
    };

    return {
      ...initialState(options),
      do: {
        next() {
          const state = get();
          const { step, fields } = state;
          if (!canContinue(state)) return;
          const names = fieldsOf(state);
          if (state.row < names.length - 1) return set({ row: state.row + 1, notice: undefined });
          const trouble = troubleOf(state, home);
          if (trouble !== undefined) return set({ notice: { text: trouble, tone: 'warn' }, row: 0 });
          if (step === 'keys') {
            const [profile, accessKeyId] = [fields.profile.text.trim(), fields.accessKeyId.text.trim()];
            const keys = { profile, accessKeyId, secretAccessKey: fields.secretAccessKey.text.trim() };
            return run(() => ports.saveKeys(keys), goOn);
          }
          if (step === 'review')
            return run(write, (commands) => {
              set({ commands });
              goOn();
            });
          if (step === 'done') return set({ isOver: true });
          goOn();
        },
        back() {
          if (get().step === 'done' || isWriting) return;
          const step = following(-1);
          stop();
          if (step === undefined) return;
          go(step);
        },
        move(by) {
          const { step, place, fields, sources, source, row, parameters, review, capabilities } = get();
          set({ notice: undefined });
          if (step === 'kind') {
            const chosen = PLACES[clamp(PLACES.indexOf(place) + by, PLACES.length)] ?? place;
            set({ place: chosen, kind: kindOf(chosen), fields: refilled(fields, place, chosen) });
          } else if (step === 'credentials') set({ source: clamp(source + by, sources.length) });
          else if (step === 'parameters') set({ row: clamp(row + by, parameters.length) });
          else if (step === 'review') set({ row: clamp(row + by, review?.lines.length ?? 0) });
          else if (step === 'done') set({ row: clamp(row + by, capabilities.length) });
          else set({ row: clamp(row + by, fieldsOf(get()).length) });
        },
        change(by) {
          const { parameters, row, step } = get();
          if (step !== 'parameters') return;
          set({
            parameters: parameters.map((one, at) =>
              at === row ? { ...one, chosen: (one.chosen + by + one.choices.length) % one.choices.length } : one,
            ),
          });
        },
        edit(edited) {
          const state = get();
          const name = fieldsOf(state)[state.row];
          if (name !== undefined) set({ fields: { ...state.fields, [name]: edited }, notice: undefined });
        },
        retry() {
          const { step, isBusy } = get();
          if (isBusy) return;
          if (step === 'check') check();
          if (step === 'test') test();
        },
        help: (isHelp) => set({ isHelp }),
        quit() {
          if (!isWriting) stop();
          set({ isOver: true });
        },
        settled: async () => void (await ended),
      },
    };
  });
}
