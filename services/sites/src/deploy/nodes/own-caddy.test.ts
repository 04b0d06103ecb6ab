import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOwnVersion } from './own-caddy.ts'

test('a program that could not be asked for its version is asked again, and one that answered is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-caddy-'))
  try {
    const program = join(folder, 'caddy')
    const version = createOwnVersion(program)
    assert.equal(await version(), undefined)
    await writeFile(program, '#!/bin/sh\necho "v2.11.1 h1:abc="\n')
    await chmod(program, 0o755)
    assert.equal(await version(), 'v2.11.1')
    await rm(program)
    assert.equal(await version(), 'v2.11.1')
    assert.equal(await createOwnVersion(undefined)(), undefined)
  } finally {
    await rm(folder, { recursive: true })
  }
})
