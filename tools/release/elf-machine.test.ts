import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { checkMachines } from './elf-machine.ts'

test('a package has no program for another machine', async () => {
  await using folder = await temporaryDirectory('elf')
  await writeFile(join(folder.path, 'text'), 'ELF')
  checkMachines(folder.path, 'all')
  await copyFile(process.execPath, join(folder.path, 'node'))
  const [own, other] = process.arch === 'arm64' ? ['arm64', 'amd64'] : ['amd64', 'arm64']
  checkMachines(folder.path, own ?? '')
  assert.throws(() => checkMachines(folder.path, other ?? ''), /node is for ELF machine \d+/)
  assert.throws(() => checkMachines(folder.path, 'all'), /node is for ELF machine \d+/)
})
