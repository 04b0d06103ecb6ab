import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { findServices } from '../../cli/services.ts'
import { moreUnits, unitText } from './unit.ts'

/** Most exposure each unit may have, as `systemd-analyze security` counts it. */
const limits: Readonly<Record<string, number>> = {
  'hearth-vpn': 4,
  'hearth-vpn-node': 4,
  'hearth-inverter': 2,
  'hearth-media': 2.5,
  'hearth-sites': 2.5,
}

const isThere = spawnSync('systemd-analyze', ['--version']).status === 0

const services = findServices()
const units = new Map([
  ...services.map((service) => [`hearth-${service.name}`, unitText(service)] as const),
  ...services.flatMap((service) => Array.from(moreUnits(service))),
])

for (const [name, text] of units) {
  test(
    `the unit of ${name} is valid and as closed as promised`,
    {
      skip: isThere ? false : 'systemd-analyze is not installed (Debian package systemd)',
    },
    async () => {
      await using folder = await temporaryDirectory('unit')
      const file = join(folder.path, `${name}.service`)
      // The program is not installed here; what stands in for it is not what the check is about.
      writeFileSync(file, text.replace('/usr/bin/hearth', process.execPath))
      const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
      assert.equal(verified.stderr, '')
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
        encoding: 'utf8',
      })
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
      assert.ok(exposure <= (limits[name] ?? 0), `${exposure} of at most ${limits[name]}`)
    },
  )
}
