import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startGuardian } from './guardian.ts'
import { createToolRunner, type ToolRun } from './run-tool.ts'
import { ToolFailure, withoutQueries } from './tool-failure.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A tool made of a shell script, which leaves the number of a child of its own in `child`. */
async function openTool(script: string) {
  const folder = await temporaryDirectory()
  const program = join(folder.path, 'tool')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  const guardian = startGuardian()
  const controller = new AbortController()
  const run: ToolRun = {
    program,
    args: [],
    directory: folder.path,
    limits: { timeoutMs: 10_000, memory: 1e9, processes: 20 },
    signal: controller.signal,
  }
  return {
    run,
    controller,
    runner: createToolRunner(guardian),
    folder: folder.path,
    child: () =>
      eventually(
        () => readFile(join(folder.path, 'child'), 'utf8').then(Number, () => 0),
        (pid) => pid > 0,
      ),
    async [Symbol.asyncDispose]() {
      guardian.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const withChild = 'sleep 60 & echo $! > child'
const failsWith = (kind: string) => (error: unknown) => error instanceof ToolFailure && error.kind === kind

test('a stopped tool ends with all its children, even when it ignores signals', async () => {
  await using tool = await openTool(`trap '' TERM\n${withChild}\nwhile true; do sleep 1; done`)
  const ended = assert.rejects(tool.runner.run(tool.run), failsWith('aborted'))
  const child = await tool.child()
  tool.controller.abort()
  await ended
  await eventually(
    () => isAlive(child),
    (alive) => !alive,
  )
})

test('a tool that ends leaves no child behind, and its output is read to the end', async () => {
  await using tool = await openTool(`${withChild}\nseq 1 20000`)
  const lines: string[] = []
  await tool.runner.run({ ...tool.run, onLine: (line) => lines.push(line) })
  assert.equal(lines.at(-1), '20000')
  const child = await tool.child()
  await eventually(
    () => isAlive(child),
    (alive) => !alive,
  )
})

test('time, memory, processes and output of a tool are limited', async () => {
  const cases: [string, Partial<ToolRun['limits']>, string][] = [
    ['sleep 60', { timeoutMs: 300 }, 'timeout'],
    ['for i in 1 2 3 4 5 6; do sleep 60 & done; wait', { processes: 4 }, 'processes'],
    [
      `exec ${process.execPath} -e "globalThis.a = Buffer.alloc(3e8, 1); setInterval(() => {}, 1000)"`,
      { memory: 1.5e8 },
      'memory',
    ],
    ['while true; do sleep 1; done', { written: { measure: () => Promise.resolve(11), max: 10 } }, 'bytes'],
  ]
  await Promise.all(
    cases.map(async ([script, limits, kind]) => {
      await using tool = await openTool(script)
      const run = { ...tool.run, limits: { ...tool.run.limits, ...limits } }
      await assert.rejects(tool.runner.run(run), failsWith(kind), kind)
    }),
  )
})

test('a failing tool reports why, without URL queries; a missing one is named', async () => {
  await using tool = await openTool(`echo 'ERROR: https://cdn.test/a.mp4?sig=secret#x broke' >&2; exit 3`)
  await assert.rejects(tool.runner.run(tool.run), (error: ToolFailure) => {
    assert.deepEqual([error.kind, error.code, error.output], ['exit', 3, 'ERROR: https://cdn.test/a.mp4 broke\n'])
    return true
  })
  await assert.rejects(tool.runner.run({ ...tool.run, program: '/nowhere/tool' }), /tool/)
  assert.equal(withoutQueries('see http://a/b?c=d and "https://e/f?g"'), 'see http://a/b and "https://e/f"')
})

test('a killed service takes its tools and their children with it', async () => {
  await using tool = await openTool(`${withChild}\nwhile true; do sleep 1; done`)
  const program = `
    import { startGuardian } from ${JSON.stringify(join(import.meta.dirname, 'guardian.ts'))}
    import { createToolRunner } from ${JSON.stringify(join(import.meta.dirname, 'run-tool.ts'))}
    createToolRunner(startGuardian()).run({
      program: ${JSON.stringify(tool.run.program)}, args: [], directory: ${JSON.stringify(tool.folder)},
      limits: { timeoutMs: 60000, memory: 1e9, processes: 20 }, signal: new AbortController().signal,
    })`
  const service = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  const child = await tool.child()
  service.kill('SIGKILL')
  await eventually(
    () => isAlive(child),
    (alive) => !alive,
  )
})
