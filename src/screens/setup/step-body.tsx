// The questions of each step, with one line of explanation.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { CheckLine } from '../../core/setup/check-store.js';
import type { CredentialSource } from '../../core/setup/found-credentials.js';
import { chosenOf } from '../../stores/setup/parameters.js';
import { type FieldName, fieldsOf, type SetupState, type Work } from '../../stores/setup/setup-state.js';
import type { Column } from '../../ui/columns.js';
import { Line } from '../../ui/line.js';
import { Picker } from '../../ui/picker.js';
import { useSize } from '../../ui/size.js';
import { Spinner } from '../../ui/spinner.js';
import { TextField } from '../../ui/text-field.js';
import { cut } from '../../ui/text.js';
import { Tint, type Tone, useTheme } from '../../ui/theme.js';
import { wrapped } from '../../ui/wrapped.js';
import { useNames } from '../use-names.js';
import { addressLabel, addressQuestion } from './address-question.js';
import { Asked, LOW_ROWS } from './asked.js';
import { DoneStep } from './done-step.js';
import { PlaceStep } from './place-step.js';
import { twoColumns } from './two-columns.js';

type Props = { readonly state: SetupState };

export function StepBody({ state }: Props): ReactElement {
  switch (state.step) {
    case 'kind':
      return <PlaceStep place={state.place} />;
    case 'credentials':
      return <CredentialsStep state={state} />;
    case 'server':
    case 'keys':
    case 'place':
      return <FormStep state={state} />;
    case 'check':
      return (
        <WorkStep
          question={`May ${state.kind === 'folder' ? 'you' : 'these credentials'} do what archiver does?`}
          work={state.check}
        />
      );
    case 'parameters':
      return <ParametersStep state={state} />;
    case 'test':
      return <WorkStep question="Does 1 MB come back as it was?" work={state.test} />;
    case 'review':
      return <ReviewStep state={state} />;
    case 'done':
      return <DoneStep state={state} />;
    default:
      return state.step satisfies never;
  }
}

function sourceTexts(one: CredentialSource | undefined, show: (text: string) => string): readonly [string, string] {
  switch (one?.kind) {
    case 'profile':
      return [`profile ${show(one.name)}`, show(one.gives)];
    case 'environment':
      return ['environment', 'AWS_* variables of this shell'];
    case 'machine':
      return ['this machine', 'what AWS gives its instances and containers'];
    case 'new':
    case undefined:
      return ['new keys', 'typed here, for the AWS credentials file'];
    default:
      return one satisfies never;
  }
}

function CredentialsStep({ state: { sources, source } }: Props): ReactElement {
  const names = useNames();
  const columns = useMemo(() => twoColumns(sources.length, (at) => sourceTexts(sources[at], names)), [sources, names]);
  return (
    <Asked question="Which credentials?" why="archiver keeps none: the AWS files and variables do">
      <Picker count={sources.length} chosen={source} columns={columns} />
    </Asked>
  );
}

const FORMS: Partial<Readonly<Record<SetupState['step'], readonly [question: string, why: string]>>> = {
  keys: ['Which keys?', 'appended to the AWS credentials file, for you alone'],
};

const LABELS: Readonly<Record<FieldName, readonly [label: string, placeholder: string]>> = {
  server: ['address', 'https://s3.example.org'],
  account: ['account', 'as its console shows it'],
  profile: ['profile', 'archiver'],
  accessKeyId: ['access key id', 'AKIA…'],
  secretAccessKey: ['secret key', 'not shown'],
  folder: ['folder', '/mnt/backup/archives'],
  bucket: ['bucket', 'bucket/prefix'],
  region: ['region', 'empty: the bucket is asked'],
};

const LABEL_WIDTH = 15;

function FormStep({ state }: Props): ReactElement {
  const { columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const isFolder = state.kind === 'folder';
  const placed: readonly [string, string] = isFolder
    ? ['In which folder?', 'made where it is missing; leave it to archiver alone']
    : ['In which bucket, below which prefix?', 'it must be there; a prefix keeps archives apart'];
  const [question, why] = state.step === 'server' ? addressQuestion(state) : (FORMS[state.step] ?? placed);
  return (
    <Asked question={question} why={why}>
      <Box flexDirection="column">
        {fieldsOf(state).map((name, at) => {
          const isEdited = at === state.row;
          const { text, cursor } = state.fields[name];
          const isSecret = name === 'secretAccessKey';
          const line = isSecret ? { text: '*'.repeat(text.length), cursor } : { text, cursor };
          const [label, placeholder] = addressLabel(state.place, name) ?? LABELS[name];
          const width = columns - LABEL_WIDTH - 6;
          return (
            <Line
              key={name}
              left={
                <>
                  <Tint
                    tone={isEdited ? 'accent' : 'dim'}
                  >{`${isEdited ? glyphs.pointer : ' '} ${label.padEnd(LABEL_WIDTH)}`}</Tint>
                  {isEdited ? (
                    <TextField line={line} width={width} placeholder={names(placeholder)} />
                  ) : (
                    <Tint tone={text === '' ? 'dim' : 'plain'}>{names(line.text || placeholder)}</Tint>
                  )}
                </>
              }
            />
          );
        })}
      </Box>
    </Asked>
  );
}

/** Lines as they arrive; the last ones when not all fit. */
function WorkStep({ question, work }: { readonly question: string; readonly work: Work }): ReactElement {
  const { rows, columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const all = work.lines.flatMap((line) => shownLines(line, columns - 5, names));
  const sign = (tone: Tone): string =>
    tone === 'good' || tone === 'warn' || tone === 'bad' ? `${glyphs[tone]} ` : '  ';
  return (
    <Asked question={question} why="in a folder of its own there, which is deleted again">
      <Box flexDirection="column" width={columns}>
        {all.slice(rows > LOW_ROWS ? 4 - rows : 3 - rows).map(({ text, tone }, at) => (
          <Line
            key={at}
            left={
              <>
                <Tint tone={tone}>{sign(tone)}</Tint>
                {text}
              </>
            }
          />
        ))}
        {work.status === 'running' && <Line left={<Spinner label="working" />} />}
      </Box>
    </Asked>
  );
}

type ShownLine = { readonly text: string; readonly tone: Tone };

function shownLines(
  { tone, text, action, hint }: CheckLine,
  width: number,
  show: (text: string) => string,
): readonly ShownLine[] {
  const more = [...(action === undefined ? [] : [`missing: ${action}`]), ...(hint === undefined ? [] : [hint])];
  const [first = '', ...rest] = [text, ...more].flatMap((one) => wrapped(show(one), width));
  return [{ text: first, tone }, ...rest.map((one) => ({ text: one, tone: 'plain' as const }))];
}

function ParametersStep({ state: { parameters, row } }: Props): ReactElement {
  const columns = useMemo(
    (): readonly Column[] => [
      { width: 14, priority: 0, tone: 'dim', cell: (at) => parameters[at]?.title ?? '' },
      { width: 20, priority: 0, cell: (at) => chosenLabel(parameters[at]) },
      { weight: 1, min: 60, priority: 1, tone: 'dim', cut: 'end', cell: (at) => explanationOf(parameters[at]) },
    ],
    [parameters],
  );
  return (
    <Asked question="How are uploads made?" why={explanationOf(parameters[row])}>
      <Picker count={parameters.length} chosen={row} columns={columns} />
    </Asked>
  );
}

const chosenLabel = (one: SetupState['parameters'][number] | undefined): string =>
  one === undefined ? '' : (chosenOf(one)?.label ?? '');
const explanationOf = (one: SetupState['parameters'][number] | undefined): string =>
  one === undefined ? '' : (chosenOf(one)?.why ?? '');

const SIGN_TONES: Readonly<Record<'+' | '-' | ' ', Tone>> = { '+': 'good', '-': 'bad', ' ': 'dim' };

function ReviewStep({ state: { review, row } }: Props): ReactElement {
  const { rows, columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  if (review === undefined) return <Line left={<Spinner label="reading the file" />} />;
  const room = Math.max(1, rows - (rows > LOW_ROWS ? 3 : 2));
  const first = Math.min(row, Math.max(0, review.lines.length - room));
  const count = review.lines.filter(({ sign }) => sign !== ' ').length;
  const what = review.isNew
    ? 'a new file'
    : count === 0
      ? 'it says all of this already'
      : 'comments and other settings stay as they are';
  return (
    <Asked question={review.isNew ? 'Make this file?' : 'Change the file?'} why={what}>
      <Box flexDirection="column">
        {review.lines.slice(first, first + room).map(({ sign, text }, at) => (
          <Line
            key={at}
            left={
              <Tint tone={SIGN_TONES[sign]}>{cut(`${sign} ${names(text)}`, columns - 2, 'end', glyphs.ellipsis)}</Tint>
            }
          />
        ))}
      </Box>
    </Asked>
  );
}
