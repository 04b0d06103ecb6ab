import assert from 'node:assert/strict'
import { appendFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemTimers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { LogPosition } from './log-source.ts'
import { LogTail } from './log-tail.ts'

/** Reads a log as the service does, and keeps what it would keep. */
async function reader() {
  const directory = await temporaryDirectory('log')
  const path = join(directory.path, 'access.log')
  const seen: string[] = []
  const losses: string[] = []
  const kept: { position: LogPosition | undefined } = { position: undefined }
  const openTail = (more: { maxLine?: number; pollMs?: number } = {}) =>
    new LogTail({
      path,
      position: kept.position,
      onLines: (lines, position) => {
        seen.push(...lines)
        kept.position = position
      },
      onLoss: (what) => void losses.push(what),
      onError: (error) => assert.fail(String(error)),
      timers: systemTimers,
      ...more,
    })
  let rolls = 0
  const rollTo = () => {
    rolls += 1
    return join(directory.path, `access-2026-11-21T19-00-00.${String(rolls).padStart(3, '0')}.log`)
  }
  return {
    path,
    seen,
    losses,
    kept,
    openTail,
    write: (text: string) => appendFile(path, text),
    roll: () => rename(path, rollTo()),
    async rollPacked(text: string) {
      await rm(path, { force: true })
      await writeFile(`${rollTo()}.gz`, gzipSync(text))
    },
    rolled: (number: number) => join(directory.path, `access-2026-11-21T19-00-00.00${number}.log.gz`),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

test('lines are read as they arrive, partial ones once they are complete', async () => {
  await using log = await reader()
  const tail = log.openTail({ pollMs: 5 })
  tail.start()
  await log.write('1\n2\n3')
  await eventually(
    () => log.seen.length,
    (count) => count === 2,
  )
  await log.write('3\n4\n')
  await eventually(
    () => log.seen,
    (seen) => seen.join() === '1,2,33,4',
  )
  await tail.close()
})

test('a log rotated several times between two polls is read completely and in order', async () => {
  await using log = await reader()
  const tail = log.openTail()
  await log.write('1\n')
  await tail.poll()
  await log.write('2\n')
  await log.roll()
  await tail.poll()
  await log.write('3\n')
  await log.roll()
  await log.write('4\n')
  await log.roll()
  await log.write('5\n')
  await tail.poll()
  assert.equal(log.seen.join(), '1,2,3,4,5')
  await tail.close()
  assert.deepEqual(log.losses, [])
})

test('reading resumes in the same file, a rotated file or a compressed one', async () => {
  await using log = await reader()
  const readOn = async () => {
    const tail = log.openTail()
    await tail.poll()
    await tail.close()
  }
  await log.write('1\n2\nhal')
  await readOn()
  await log.write('f\n3\n')
  await readOn()
  assert.equal(log.seen.join(), '1,2,half,3')
  await log.write('4\n')
  await log.roll()
  await log.write('5\n')
  await readOn()
  assert.equal(log.seen.join(), '1,2,half,3,4,5')
  await log.rollPacked('5\n6\n')
  await log.rollPacked(`${'x'.repeat(100_000)}\n`)
  await log.write('8\n')
  await readOn()
  assert.equal(log.seen.map((line) => line.slice(0, 4)).join(), '1,2,half,3,4,5,6,xxxx,8')
  await readOn()
  assert.equal(log.seen.length, 9)
  assert.deepEqual(log.losses, [])
})

test('the first reader starts with the current file', async () => {
  await using log = await reader()
  await log.write('old\n')
  await log.roll()
  await log.write('new\n')
  const tail = log.openTail()
  await tail.poll()
  await tail.close()
  assert.equal(log.seen.join(), 'new')
})

test('a truncated or replaced log is read from its start', async () => {
  await using log = await reader()
  const tail = log.openTail()
  await log.write('1\n2\n')
  await tail.poll()
  await truncate(log.path)
  await log.write('3\n')
  await tail.poll()
  assert.equal(log.seen.join(), '1,2,3')
  await tail.close()
  await writeFile(log.path, 'another\nfile\n')
  const next = log.openTail()
  await next.poll()
  assert.equal(log.seen.join(), '1,2,3,another,file')
  await rm(log.path)
  await next.poll()
  await log.write('6\n')
  await next.poll()
  assert.equal(log.seen.at(-1), '6')
  await next.close()
  assert.deepEqual(log.losses, ['replaced', 'replaced'])
})

test('an endless line uses no memory and loses only itself', async () => {
  await using log = await reader()
  const tail = log.openTail({ maxLine: 1000 })
  await log.write(`1\n${'x'.repeat(300_000)}`)
  await tail.poll()
  await log.write('x\n2\n')
  await tail.poll()
  await tail.close()
  assert.deepEqual([log.seen.join(), log.losses.join()], ['1,2', 'too-long'])
})

test('a damaged compressed file loses only itself', async () => {
  await using log = await reader()
  await log.write('1\n')
  const first = log.openTail()
  await first.poll()
  await first.close()
  await log.roll()
  await log.rollPacked('2\n')
  await truncate(log.rolled(2), 10)
  await log.write('3\n')
  const second = log.openTail()
  await second.poll()
  await second.close()
  assert.deepEqual([log.seen.join(), log.losses.join()], ['1,3', 'damaged'])
})

test('a missing log yields nothing until it appears', async () => {
  await using log = await reader()
  const tail = log.openTail()
  await tail.poll()
  await log.write('1\n')
  await tail.poll()
  await tail.close()
  assert.equal(log.seen.join(), '1')
})
