#!/usr/bin/env node
// Runs on whatever Node the host has; the rest of Hearth runs on the Node 26 among its packages.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.url)
const words = process.argv.slice(2)

if (Number(process.versions.node.split('.')[0]) >= 26) {
  // What is loaded is kept compiled among the packages, for their owner: the next start takes half the time. Where that cannot
  // be written, nothing is kept.
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/hearth', import.meta.url)))
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine(words)
} else {
  // npm 10 unpacks Node 26 but makes no link to it.
  const places = ['.bin/node', `node-${process.platform}-${process.arch}/bin/node`]
  const node = places
    .map((place) => fileURLToPath(new URL(`../node_modules/${place}`, import.meta.url)))
    .find(existsSync)
  if (node === undefined) {
    console.error('hearth: not set up yet; run npm start, or npm ci, in its folder first')
    process.exit(1)
  }
  const child = spawn(node, [program, ...words], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // On a terminal Ctrl-C reaches the child by itself; a second one would mean: do not wait.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
