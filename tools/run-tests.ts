import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from './services.ts'
import type { TestLine } from './test-report.ts'

/** What a run of tests came to. */
export interface TestRun {
  readonly lines: readonly TestLine[]
  /** What the tests wrote, for when they fail. */
  readonly output: string
  readonly passed: boolean
}

/** Runs test files, each in a process of its own, two at a time. */
export function runTests(files: readonly string[], concurrency = 2): Promise<TestRun> {
  const reporter = join(root, 'tools/test-report.ts')
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-timeout=300000',
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
      ...files,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, FORCE_COLOR: '0' },
    },
  )
  const lines: TestLine[] = []
  let output = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    const parsed = parseLine(line)
    if (parsed === undefined) output += `${line}\n`
    else lines.push(parsed)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ lines, output, passed: code === 0 && lines.every((line) => line.result !== 'failed') }),
    )
  })
}

/** Test files of the patterns, each once, sorted. */
export function testFiles(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }))].sort()
}

/** A failed test as a person reads it. */
export function describeFailure(line: TestLine): string {
  return `✖ ${line.name} (${relative(root, line.file)})\n${line.reason.replaceAll(/^/gm, '    ')}`
}

function parseLine(line: string): TestLine | undefined {
  if (!line.startsWith('{"name":')) return undefined
  try {
    return JSON.parse(line) as TestLine
  } catch {
    return undefined
  }
}
