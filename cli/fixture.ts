import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A temporary repository with fake services whose command line can be run. */
export interface Repository {
  readonly folder: string
  start(args: readonly string[], environment?: Record<string, string>): Running
}

/** A running command line. */
export interface Running {
  readonly child: ChildProcess
  /** Output so far, of stdout and stderr. */
  text(): string
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
  /** Resolves when the output matches; rejects when the process ends before. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * The variable with the name of a fake service sets its behaviour: `refuse` its settings, `die` once after it listens, be
 * `stubborn` when asked to stop, `crash` before it listens in every start, or be `slow` to stop.
 */
const commands = (name: string) => `
import { existsSync, writeFileSync } from 'node:fs'
export function addCommands(program) {
  program.command('serve').action(async () => {
    const mode = process.env.${name.toUpperCase()}
    if (mode === 'refuse') throw Object.assign(new Error('WRONG: must be right'))
    if (mode === 'crash') process.exit(3)
    const end = () => { console.log('${name} stops'); process.exit(0) }
    process.on('SIGTERM', () => mode === 'stubborn' || setTimeout(end, mode === 'slow' ? 500 : 0))
    setInterval(() => {}, 1000)
    console.log('${name} is process ' + process.pid)
    if (process.env.HEARTH_TERMINAL === '1') console.log('${name} logs for a terminal')
    console.log('listening on http://127.0.0.1:1')
    const mark = process.env.MARK ?? ''
    if (mode === 'die' && !existsSync(mark)) { writeFileSync(mark, ''); setTimeout(() => process.exit(4), 50) }
  })
  program.command('fail').action(() => { throw new Error('first line\\nsecond line') })
}
export async function doctor() {
  if (process.env.${name.toUpperCase()} === 'refuse') throw new Error('no examination')
  return [{ name: 'thing', state: process.env.${name.toUpperCase()} === 'missing' ? 'missing' : 'ok', detail: 'd', meaning: 'm' }]
}`

/** Creates a repository that is removed with the test, together with the processes started in it. */
export function makeRepository(t: TestContext, names: readonly string[]): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-'))
  const started: Running[] = []
  t.after(() => {
    for (const running of started) {
      running.child.kill('SIGKILL')
      for (const [, pid] of running.text().matchAll(/is process (\d+)/g)) endProcess(Number(pid))
    }
    rmSync(folder, { recursive: true })
  })
  for (const [index, name] of names.entries()) {
    const service = join(folder, 'services', name)
    mkdirSync(join(service, 'src'), { recursive: true })
    const hearth = { port: 8000 + index, title: `The ${name}` }
    writeFileSync(join(service, 'package.json'), JSON.stringify({ type: 'module', hearth }))
    writeFileSync(join(service, 'src/commands.ts'), commands(name))
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version: '1.2.3' }))
  const program = join(folder, 'hearth.ts')
  const place = JSON.stringify({ root: folder, program })
  const commandLine = JSON.stringify(join(import.meta.dirname, 'command-line.ts'))
  writeFileSync(
    program,
    `import { runCommandLine } from ${commandLine}\nawait runCommandLine(process.argv.slice(2), ${place})\n`,
  )
  return {
    folder,
    start(args, environment = {}) {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const running = follow(child)
      started.push(running)
      return running
    },
  }
}

/** Tells whether a process runs with the limits of memory that services have. */
export function hasMemoryLimits(pid: number | string): boolean {
  const words = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  const variables = words('environ')
  return words('cmdline').includes('--max-semi-space-size=2') && variables.includes('MALLOC_ARENA_MAX=2')
}

function follow(child: ChildProcess): Running {
  const texts = { stdout: '', stderr: '' }
  const text = () => texts.stdout + texts.stderr
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (part: string) => (texts[name] += part))
  const { promise: ended, resolve } = Promise.withResolvers<Awaited<Running['ended']>>()
  child.on('close', (code) => resolve({ code, ...texts }))
  const wrote = async (pattern: RegExp) => {
    const begin = Date.now()
    for (;;) {
      const found = pattern.exec(text())
      if (found !== null) return found
      if (child.exitCode !== null || child.signalCode !== null || Date.now() - begin > 20_000)
        throw new Error(`${pattern} did not appear in:\n${text()}`)
      await new Promise((next) => setTimeout(next, 20))
    }
  }
  return { child, text, ended, wrote }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
