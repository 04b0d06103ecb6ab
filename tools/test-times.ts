import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Durations of test files when they last ran, milliseconds by path. */
export type TestTimes = Readonly<Record<string, number>>

/** Returns the times that a file keeps; none when it is not there or cannot be read. */
export function readTestTimes(file: string): TestTimes {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestTimes
  } catch {
    return {}
  }
}

/** Adds the times of a run to those that a file keeps. */
export function keepTestTimes(file: string, times: TestTimes): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ ...readTestTimes(file), ...times }))
}
