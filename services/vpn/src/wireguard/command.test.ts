import assert from 'node:assert/strict'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { createCommandRunner, redact, withSecretDescriptor } from './command.ts'
import { DeviceError } from './device.ts'
import { generatePresharedKey } from './keys.ts'

const run = createCommandRunner()

describe('a secret descriptor', () => {
  test('has no file name, is readable by its owner only, and reads from the start', async () => {
    await withSecretDescriptor('a secret\n', async (descriptor) => {
      const path = `/proc/self/fd/${descriptor}`
      assert.match(await readlink(path), /\(deleted\)$/)
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.equal(await readFile(path, 'utf8'), 'a secret\n')
    })
  })

  test('is closed afterwards, also when the work fails', async () => {
    const open = async () => {
      const links = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      )
      return links.filter((link) => /hearth-.*deleted/.test(link)).length
    }
    await assert.rejects(withSecretDescriptor('x', () => Promise.reject(new Error('no'))))
    assert.equal(await open(), 0)
  })

  test('reaches a child by path and as stdin, completely', async () => {
    const text = generatePresharedKey().repeat(50_000)
    assert.equal(await run('cat', ['/dev/stdin'], { secretInput: text }), text)
    assert.equal(await run('cat', [], { secretInput: text }), text)
  })
})

describe('a command', () => {
  test('gets its exact arguments and none of the service’s environment', async () => {
    process.env['HEARTH_TEST_SECRET'] = 'visible'
    const text = await run('env', [])
    assert.doesNotMatch(text, /HEARTH_TEST_SECRET/)
    assert.equal(await run('printf', ['%s', '$(id); `id` | cat']), '$(id); `id` | cat')
    delete process.env['HEARTH_TEST_SECRET']
  })

  test('that fails reports what and why, without keys', async () => {
    const key = generatePresharedKey()
    const hex = Buffer.from(key, 'base64').toString('hex')
    for (const argument of [key, `/${key}`, hex, `key=${hex}`]) {
      await assert.rejects(run('ls', [argument]), (error: Error) => {
        assert.ok(error instanceof DeviceError)
        assert.match(error.message, /^ls .*No such file/)
        return !error.message.includes(key.slice(0, 40)) && !error.message.includes(hex.slice(0, 40))
      })
    }
    await assert.rejects(run('no-such-program', []), /no-such-program: the program is not installed/)
    await assert.rejects(run('false', []), /ended with 1/)
    assert.equal(redact(`a ${key} b`), 'a [key] b')
  })

  test('that hangs is killed', async () => {
    const start = performance.now()
    await assert.rejects(run('sleep', ['30'], { timeout: 100 }), /sleep 30: no answer in time/)
    assert.ok(performance.now() - start < 5000)
  })

  test('that floods its output is killed', async () => {
    await assert.rejects(run('cat', ['/dev/zero']), /cat .*: printed too much/)
  })

  test('that leaves a process behind starts it in its own session', async () => {
    const pid = (await run('sh', ['-c', 'sleep 30 >/dev/null 2>&1 & echo $!'], { leavesProcess: true })).trim()
    const sessionOf = async (of: string) =>
      (await readFile(`/proc/${of}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')[3]
    const [own, theirs] = [await sessionOf('self'), await sessionOf(pid)]
    process.kill(Number(pid))
    assert.notEqual(theirs, own)
  })
})
