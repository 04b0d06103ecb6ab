/**
 * Flags of Node and variables with which a service runs. A young generation of 2 MiB instead of 16 and two arenas of the
 * C library instead of eight for each core halve what a service keeps after busy minutes; garbage is collected a little more
 * often. `npm run bench -- footprint` shows the figures.
 */
export const nodeFlags = ['--max-semi-space-size=2']
export const variables = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Commands of services that run until they are told to stop. */
const longRunning = new Set(['serve', 'worker'])

/** Tells whether a command line starts a service, or a node of one. */
export const isService = ([, command, word]) => longRunning.has(command) || (command === 'node' && word === 'run')
