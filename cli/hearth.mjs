#!/usr/bin/env node
// Runs on whatever Node the host has; the rest of Hearth runs on the Node 26 among its packages.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('hearth.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 26) {
  const { runCommandLine } = await import(program)
  await runCommandLine(process.argv.slice(2))
} else {
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(node)) {
    console.error('hearth: not set up yet; run npm start, or npm ci, in its folder first')
    process.exit(1)
  }
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 143)))
}
