// The first words of the commands of every day (src/commands/everyday.ts), for what must not load these.

export const EVERYDAY_WORDS: readonly string[] = [
  'upload',
  'sync',
  'resume',
  'plan',
  'work',
  'commit',
  'list',
  'find',
  'history',
  'info',
  'cat',
  'verify',
  'download',
  'restore',
];
