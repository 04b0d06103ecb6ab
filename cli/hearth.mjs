#!/usr/bin/env node
// Runs on any Node from 18. The rest of Hearth runs on the Node 26 among its packages.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isService, nodeFlags, variables } from './memory-limits.mjs'

const program = fileURLToPath(import.meta.url)
const root = dirname(dirname(program))
const args = process.argv.slice(2)

// npm 10 unpacks Node 26 but makes no link to it.
const node = [
  `${root}/node_modules/.bin/node`,
  `${root}/node_modules/node-${process.platform}-${process.arch}/bin/node`,
].find((path) => existsSync(path))

const isRecent = Number(process.versions.node.split('.')[0]) >= 26

// A host's own Node 26 serves where the packages have none for its system.
if (isRecent && existsSync(`${root}/node_modules/@hearth`)) await run()
else if (node === undefined || isRecent) answerBeforeSetUp()
else handOver(node)

/** Runs the command line in this process; a service after this process has become one with the limits of memory. */
async function run() {
  if (isService(args) && process.channel == null && !nodeFlags.every((flag) => process.execArgv.includes(flag)))
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...nodeFlags, program, ...args], {
      ...variables,
      ...process.env,
    })
  // Not a static import: Node before 22.1 refuses to load a program that names what it does not have.
  const { enableCompileCache } = await import('node:module')
  // Compiled code is kept among the packages, for their owner: the next start takes half the time. Where the folder cannot be
  // written, nothing is kept.
  enableCompileCache(`${root}/node_modules/.cache/hearth`)
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine(args)
}

/** Runs the command line in a child on Node 26, with its signals and its end. The channel tells the child when we are gone. */
function handOver(node26) {
  const [flags, added] = isService(args) ? [nodeFlags, variables] : [[], {}]
  const child = spawn(node26, [...flags, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...added, ...process.env },
  })
  child.on('error', (error) => {
    console.error(`hearth: cannot run ${node26}: ${error.message}`)
    process.exit(1)
  })
  const watch = watchShell(() => child.kill('SIGTERM'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {
    clearInterval(watch)
    // On a terminal Ctrl-C reaches the child by itself; a second one would mean: do not wait.
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** npx passes a SIGTERM to a shell that ends without passing it on: `stop` is called once when that shell is gone. */
function watchShell(stop) {
  if (process.env.npm_lifecycle_event !== 'npx') return undefined
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    stop()
  }, 500)
  return watch
}

function answerBeforeSetUp() {
  if (args[0] === '--version' || args[0] === '-V') {
    console.log(JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).version)
    return
  }
  console.error(`hearth: not set up yet; run npm start, or npm run setup, in ${root} first`)
  process.exitCode = 1
}
