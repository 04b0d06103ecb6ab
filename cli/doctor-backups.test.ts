import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'

const services = ['inverter', 'media', 'sites', 'vpn']

test('doctor tells of every service how its last scheduled backup went', async () => {
  await using folder = await temporaryDirectory()
  const directory = join(folder.path, 'backups')
  await mkdir(directory)
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  const pathOf = (service: string) => join(directory, `${service}-${hourAgo}Z.hearth-backup`)
  for (const service of services) await writeFile(pathOf(service), '')
  const environment = { DATA_DIR: join(folder.path, 'data'), BACKUP_DIR: directory }
  const look = async (more: Record<string, string> = {}) => {
    const { stdout } = await runCommand(['doctor', '--json'], { ...environment, ...more })
    const sections = JSON.parse(stdout) as { facts: { name: string; state: string; detail: string }[] }[]
    return sections.flatMap(({ facts }) => facts.filter(({ name }) => name === 'backups'))
  }
  const well = await look()
  assert.deepEqual(
    new Set(well.map(({ state, detail }) => `${state} ${detail.replace(/, \d+ minutes old$/, '')}`)),
    new Set(services.map((service) => `ok ${pathOf(service)}`)),
  )
  const old = await look({ BACKUP_EVERY: '20m' })
  assert.deepEqual(
    old.map(({ state }) => state),
    services.map(() => 'degraded'),
  )
  assert.deepEqual(await look({ BACKUP_DIR: '' }), [])
})
