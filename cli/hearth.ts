import { runCommandLine } from './command-line.ts'

// Entry point for Node 26; `hearth.mjs` starts faster.
await runCommandLine(process.argv.slice(2))
