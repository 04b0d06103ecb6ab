import { runCommandLine } from './command-line.ts'

// For who names it on the command line of Node 26; `hearth.mjs` starts faster.
await runCommandLine(process.argv.slice(2))
