import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { OperatorError } from '@hearth/runtime'
import { execa } from 'execa'
import { testFolder } from '../../test/object-storage/storage-fixture.ts'
import { ArtifactMissing } from './artifact-store.ts'
import { openDirectoryStore } from './directory-store.ts'

async function bench(t: TestContext) {
  const folder = await testFolder(t)
  const root = join(folder, 'artifacts')
  const store = await openDirectoryStore(root)
  const put = async (jobId: string, name: string, content = 'content') => {
    const path = join(folder, randomUUID())
    await writeFile(path, content)
    await chmod(path, 0o644)
    await store.put(jobId, name, path)
  }
  return { folder, root, store, put }
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('all files are accessible to their owner only', async (t) => {
  const { root, store, put } = await bench(t)
  const jobId = randomUUID()
  await put(jobId, 'a')
  assert.deepEqual([modeOf(root), modeOf(join(root, jobId)), modeOf(join(root, jobId, 'a'))], [0o700, 0o700, 0o600])
  await chmod(root, 0o755)
  await openDirectoryStore(root)
  assert.equal(modeOf(root), 0o700)
  await store.removeOne(jobId, 'a')
  assert.ok(!existsSync(join(root, jobId)))
})

test('links and pipes below the directory are not followed or waited for', async (t) => {
  const { folder, root, store, put } = await bench(t)
  const jobId = randomUUID()
  await put(jobId, 'a')
  const secret = join(folder, 'secret')
  await writeFile(secret, 'secret')
  await symlink(secret, join(root, jobId, 'link'))
  await symlink(join(root, jobId, 'a'), join(root, jobId, 'inner'))
  await mkdir(join(root, jobId, 'folder'))
  await execa('mkfifo', [join(root, jobId, 'pipe')])
  for (const name of ['link', 'inner', 'folder', 'pipe']) {
    assert.equal(await store.stat(jobId, name), undefined, name)
    assert.equal(await store.open(jobId, name), undefined, name)
    await assert.rejects(
      store.withLocalFile(jobId, name, () => assert.fail()),
      ArtifactMissing,
    )
  }
  assert.deepEqual(await store.list(jobId), ['a'])
  await put(jobId, 'link')
  assert.equal(await readFile(secret, 'utf8'), 'secret')
  assert.equal((await buffer((await store.open(jobId, 'link'))!)).toString(), 'content')
})

test('a job folder that links elsewhere is refused, and removing it removes only the link', async (t) => {
  const { folder, root, store, put } = await bench(t)
  for (const target of [join(folder, 'elsewhere'), join(folder, 'nowhere')]) {
    const jobId = randomUUID()
    if (target.endsWith('elsewhere')) {
      await mkdir(target)
      await writeFile(join(target, 'a'), 'not ours')
    }
    await symlink(target, join(root, jobId))
    await assert.rejects(put(jobId, 'a'))
    assert.deepEqual(await Array.fromAsync(store.jobs()), [])
    if (target.endsWith('elsewhere')) {
      await assert.rejects(store.open(jobId, 'a'), /is a link/)
      await assert.rejects(store.removeOne(jobId, 'a'), /is a link/)
      await assert.rejects(store.list(jobId), /is a link/)
    }
    await store.removeJob(jobId)
    assert.ok(!existsSync(join(root, jobId)))
  }
  assert.equal(await readFile(join(folder, 'elsewhere/a'), 'utf8'), 'not ours')
})

test('the directory itself may be a link; an invalid location fails at once', async (t) => {
  const { folder, root, put } = await bench(t)
  const jobId = randomUUID()
  await put(jobId, 'a')
  await symlink(root, join(folder, 'link'))
  const store = await openDirectoryStore(join(folder, 'link'))
  assert.deepEqual(await store.list(jobId), ['a'])
  await writeFile(join(folder, 'file'), '')
  for (const path of [join(folder, 'file'), '/proc/nothing/here']) {
    await assert.rejects(openDirectoryStore(path), (error: Error) => {
      return error instanceof OperatorError && error.message.startsWith('ARTIFACTS: cannot use')
    })
  }
})
