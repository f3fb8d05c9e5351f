// Every command of the engine, in one list with those of every day (everyday.ts); features bring theirs (src/feature-commands.ts). What does
// not need all of them loads called.ts instead.
import type { Command } from '../cli/command.js';
import { programOf, type Root } from '../cli/feature.js';
import { FEATURE_COMMANDS } from '../feature-commands.js';
import { FEATURES } from '../features.js';
import { BASE } from './base.js';
import { command as balance } from './balance.js';
import { command as browse } from './browse.js';
import { command as completion } from './completion.js';
import { command as config } from './config.js';
import { command as contextCommand } from './context.js';
import { command as contextList } from './context/list.js';
import { command as contextReset } from './context/reset.js';
import { command as contextShow } from './context/show.js';
import { command as contextSwitch } from './context/switch.js';
import { command as copy } from './copy.js';
import { command as createKeys } from './create/keys.js';
import { command as createUpload } from './create/upload.js';
import { command as datasetDiff } from './dataset/diff.js';
import { command as datasetList } from './dataset/list.js';
import { command as datasetPrune } from './dataset/prune.js';
import { command as datasetRestoreVersion } from './dataset/restore-version.js';
import { command as datasetTag } from './dataset/tag.js';
import { command as datasetVersions } from './dataset/versions.js';
import { command as drill } from './drill.js';
import { EVERYDAY } from './everyday.js';
import { command as jsonSchema } from './json-schema.js';
import { command as migrate } from './migrate.js';
import { command as repair } from './repair.js';
import { command as scuttle } from './scuttle.js';
import { command as shell } from './shell.js';

const COMMANDS: readonly Command[] = [
  ...EVERYDAY,
  createUpload,
  createKeys,
  browse,
  shell,
  drill,
  balance,
  migrate,
  copy,
  repair,
  scuttle,
  datasetList,
  datasetVersions,
  datasetDiff,
  datasetTag,
  datasetPrune,
  datasetRestoreVersion,
  config,
  contextCommand,
  contextList,
  contextSwitch,
  contextShow,
  contextReset,
  completion,
  jsonSchema,
];

/** Builds the whole command tree, including the commands of features. */
export const program = (features = FEATURES): Root =>
  programOf([...COMMANDS, ...features.flatMap(({ name }) => FEATURE_COMMANDS[name] ?? [])], features, BASE);
