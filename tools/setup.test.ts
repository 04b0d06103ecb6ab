import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

/** A repository with the set-up program and a stand-in for npm that writes down that it was called. */
function repository(
  t: TestContext,
  npm: string,
): { folder: string; setUp: () => Promise<{ code: number; text: string }> } {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-set-up-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['tools', 'bin']) mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, 'setup.mjs'), join(folder, 'tools/setup.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n${npm}`, { mode: 0o755 })
  const setUp = async () => {
    const child = spawn(process.execPath, [join(folder, 'tools/setup.mjs')], {
      env: { PATH: `${folder}/bin:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    const [code] = (await once(child, 'close')) as [number]
    return { code, text }
  }
  return { folder, setUp }
}

const calls = (folder: string) => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
const working = 'sleep 0.5; mkdir -p node_modules/.bin; touch node_modules/.bin/node'

test('concurrent set-ups install once; later ones are silent until the lockfile changes', async (t) => {
  const { folder, setUp } = repository(t, working)
  const both = await Promise.all([setUp(), setUp()])
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  )
  assert.match(both.map(({ text }) => text).join(''), /installing the npm packages/)
  assert.deepEqual(calls(folder), ['ci --loglevel=error'])
  assert.deepEqual(await setUp(), { code: 0, text: '' })
  writeFileSync(join(folder, 'package-lock.json'), '{"changed": true}')
  await setUp()
  assert.equal(calls(folder).length, 2)
})

test('set-up links Node 26 when npm unpacks it without a link, as the npm of Node 20 does', async (t) => {
  const packaged = `node_modules/node-${process.platform}-${process.arch}/bin`
  const { folder, setUp } = repository(t, `mkdir -p ${packaged}; echo packaged > ${packaged}/node`)
  assert.equal((await setUp()).code, 0)
  assert.equal(readFileSync(join(folder, 'node_modules/.bin/node'), 'utf8'), 'packaged\n')
  assert.deepEqual(await setUp(), { code: 0, text: '' })
})

test('a failed installation is reported in one line, and the next start retries it', async (t) => {
  const { folder, setUp } = repository(t, 'exit 7')
  const failed = await setUp()
  assert.equal(failed.code, 1)
  assert.match(failed.text, /^hearth: npm ci failed with exit code 7/m)
  assert.equal(existsSync(join(folder, 'node_modules/.hearth-lockfile')), false)
  await setUp()
  assert.equal(calls(folder).length, 2)
})

test('Node 26 gets the library that a minimal Debian lacks, or the command that installs it is named', async (t) => {
  const asking =
    'test -e "$0-library" || { echo "node: error while loading shared libraries: libatomic.so.1: none" >&2; exit 127; }'
  const npm = `mkdir -p node_modules/.bin; printf '#!/bin/sh\\n%s\\n' '${asking}' > node_modules/.bin/node; chmod +x node_modules/.bin/node`
  const { folder, setUp } = repository(t, npm)
  const aptGet = (script: string) =>
    writeFileSync(join(folder, 'bin/apt-get'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  aptGet('exit 100')
  const failed = await setUp()
  assert.equal(failed.code, 1)
  assert.match(failed.text, /^hearth: Node 26 needs libatomic\.so\.1; on Debian: sudo apt-get install .* libatomic1$/m)
  if (process.getuid?.() !== 0) return
  const library = join(folder, 'node_modules/.bin/node-library')
  aptGet(`case "$1" in update) touch ${folder}/lists ;; *) test -e ${folder}/lists && touch ${library} ;; esac`)
  assert.equal((await setUp()).code, 0)
  assert.deepEqual(await setUp(), { code: 0, text: '' })
})
