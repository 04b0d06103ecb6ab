import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { isDebian } from '../cli/system-packages.ts'

const skip = isDebian() ? false : 'this is no Debian'
const codename = skip ? '' : (/^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '')

/** An apt-get that knows the mirrors of a machine, of which one has the unstable suite with a package of this version. */
function fakeApt(t: TestContext, version: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-fake-apt-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['bin', 'package/DEBIAN', 'package/usr/bin']) mkdirSync(join(folder, name), { recursive: true })
  const control = `Package: lamp\nVersion: ${version}\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\nDescription: a lamp\n`
  writeFileSync(join(folder, 'package/DEBIAN/control'), control)
  writeFileSync(join(folder, 'package/usr/bin/lamp'), 'light')
  spawnSync('dpkg-deb', ['--build', join(folder, 'package'), join(folder, 'lamp.deb')])
  const script = `#!/bin/sh
case "$*" in
*--print-uris*)
  echo "'http://other.test/linux/dists/${codename}/InRelease' other_InRelease 0"
  echo "'http://mirror.test/debian/dists/${codename}/InRelease' mirror_InRelease 0"
  echo "'http://mirror.test/debian-security/dists/${codename}-security/InRelease' security_InRelease 0" ;;
*update*)
  for word in "$@"; do case "$word" in Dir::Etc::sourcelist=*) list="\${word#*=}";; esac; done
  cat "$list" >> ${folder}/sources
  grep -q //mirror.test/debian "$list" || { echo "E: no such suite" >&2; exit 100; } ;;
*download*) cp ${folder}/lamp.deb "lamp_${version}_all.deb" ;;
esac
`
  writeFileSync(join(folder, 'bin/apt-get'), script, { mode: 0o755 })
  const unpack = (wanted: string) => {
    const program = `import { unpackPackages } from ${JSON.stringify(join(import.meta.dirname, 'unpack-packages.ts'))}
      unpackPackages({ ${JSON.stringify(wanted)}: 'gives light' }, (name) => ${JSON.stringify(`${folder}/unpacked/`)} + name)`
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, PATH: `${folder}/bin:${process.env['PATH']}` }
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env,
      encoding: 'utf8',
    })
    return { status, stderr }
  }
  const sources = () => readFileSync(join(folder, 'sources'), 'utf8').trim().split('\n')
  return { program: join(folder, 'unpacked/lamp/usr/bin/lamp'), sources, unpack }
}

describe('packages of Debian unstable for tests', { skip }, () => {
  test('a package is unpacked once from the machine’s Debian mirror', (t) => {
    const { program, sources, unpack } = fakeApt(t, '2.12-1')
    assert.deepEqual(unpack('lamp (>= 2.11)'), { status: 0, stderr: '' })
    assert.equal(readFileSync(program, 'utf8'), 'light')
    assert.deepEqual(
      sources().map((line) => line.replace(/\[.*\] /, '')),
      ['deb http://other.test/linux unstable main', 'deb http://mirror.test/debian unstable main'],
    )
    assert.deepEqual(unpack('lamp (>= 2.11)'), { status: 0, stderr: '' })
    assert.equal(sources().length, 2)
  })

  test('a package that is too old on the mirror is reported in one line and leaves no files', (t) => {
    const { program, unpack } = fakeApt(t, '2.6.2-5')
    const { status, stderr } = unpack('lamp (>= 2.11)')
    assert.deepEqual([status, stderr.trim().split('\n').length], [0, 1])
    assert.match(stderr, /lamp .* skipped: the mirror has version 2\.6\.2-5 only/)
    assert.equal(existsSync(program), false)
  })
})
