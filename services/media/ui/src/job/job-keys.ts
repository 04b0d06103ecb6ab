import type { KeyWords } from '../keyboard/keys-help.tsx'

/** The keys of a job's page, for the help. */
export const jobKeys: readonly KeyWords[] = [
  ['Space', 'Play or pause'],
  ['←', 'Back 5 seconds'],
  ['→', 'Forward 5 seconds'],
  ['i', 'Start the clip here'],
  ['o', 'End the clip here'],
  ['Esc', 'Clear the selection'],
  ['t', 'Tap the tempo'],
  ['d', 'Save the file'],
  ['?', 'Show these keys'],
]
