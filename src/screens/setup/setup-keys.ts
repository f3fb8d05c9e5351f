// Key bindings for each step. Data: they are executed, printed on the key line and explained by `?`.
import { fieldsOf, canContinue, type SetupState, stepsOf } from '../../stores/setup/setup-state.js';
import type { SetupActions } from '../../stores/setup/setup-store.js';
import { editLine } from '../../ui/line-editor.js';
import { group } from '../../ui/move-keys.js';
import type { Binding } from '../../ui/use-keys.js';

type State = SetupState & { readonly do: SetupActions };
type Bare = Omit<Binding, 'group'>;

/** The keys that have an effect now. */
export function setupKeys(state: State): readonly Binding[] {
  const { step, do: act, isHelp } = state;
  if (isHelp)
    return group('keys', [
      { keys: ['any'], help: 'close this', hint: 'close', priority: 0, run: () => act.help(false) },
    ]);
  if (step === 'done')
    return [
      ...group('steps', [
        { keys: ['enter', 'q', 'escape', 'ctrl+c'], help: 'leave setup', hint: 'finish', priority: 0, run: act.next },
      ]),
      ...group('choose', choosing(state)),
    ];
  const isTyped = fieldsOf(state).length > 0;
  return [
    ...group('steps', [...onward(state), ...backward(state)]),
    ...group('choose', choosing(state)),
    ...group('steps', again(state)),
    ...group(
      'keys',
      isTyped ? [] : [{ keys: ['?'], help: 'all keys', hint: 'help', priority: 0, run: () => act.help(true) }],
    ),
    ...group('keys', [
      {
        keys: isTyped ? ['ctrl+c'] : ['q', 'ctrl+c'],
        help: 'quit, write nothing',
        hint: 'quit',
        priority: 0,
        run: act.quit,
      },
    ]),
    ...group('choose', isTyped ? [typing(state)] : []),
  ];
}

const WORDS: Partial<Readonly<Record<SetupState['step'], string>>> = {
  keys: 'save the keys',
  review: 'write the file',
  place: 'check it',
};

function onward(state: State): Bare[] {
  if (!canContinue(state)) return [];
  const isLast = state.row >= fieldsOf(state).length - 1;
  const hint = isLast ? (WORDS[state.step] ?? 'next') : 'next line';
  return [{ keys: ['enter'], help: hint, hint, priority: 0, run: state.do.next }];
}

const backward = (state: State): Bare[] =>
  stepsOf(state)[0] === state.step
    ? []
    : [{ keys: ['escape'], help: 'the step before', hint: 'back', priority: 0, run: state.do.back }];

const again = ({ step, isBusy, do: act }: State): Bare[] =>
  !isBusy && (step === 'check' || step === 'test')
    ? [{ keys: ['r'], help: 'once more', hint: 'again', run: act.retry }]
    : [];

function choosing(state: State): Bare[] {
  const { step, do: act } = state;
  const fields = fieldsOf(state);
  if (step === 'check' || step === 'test' || fields.length === 1) return [];
  const isTyped = fields.length > 0;
  const rows: Bare[] = [
    {
      keys: isTyped ? ['up', 'shift+tab'] : ['up', 'k'],
      help: 'one row up',
      hint: step === 'review' || step === 'done' ? 'scroll' : 'choose',
      hintKeys: ['up', 'down'],
      run: () => act.move(-1),
    },
    { keys: isTyped ? ['down', 'tab'] : ['down', 'j'], help: 'one row down', run: () => act.move(1) },
  ];
  if (step !== 'parameters') return rows;
  return [
    ...rows,
    {
      keys: ['right', 'l', 'space'],
      help: 'next value',
      hint: 'change',
      hintKeys: ['left', 'right'],
      run: () => act.change(1),
    },
    { keys: ['left', 'h'], help: 'value before', run: () => act.change(-1) },
  ];
}

function typing(state: State): Bare {
  const name = fieldsOf(state)[state.row];
  const line = name === undefined ? { text: '', cursor: 0 } : state.fields[name];
  return { keys: ['any'], help: 'edit the line', run: (key) => state.do.edit(editLine(line, key)) };
}
