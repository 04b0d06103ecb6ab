import { existsSync, statSync } from 'node:fs'
import type { DoctorCheck, Environment } from '@hearth/runtime'
import { commandsFile } from './build-state.ts'
import { defaultDataDirectory, settingsOf } from './installation.ts'
import type { ServiceFolder } from './services.ts'
import { installedVersion, isDebian } from './system-packages.ts'
import { readPageState } from './web-pages.ts'

/** Findings for the host or for one service. */
interface Section {
  readonly title: string
  readonly facts: readonly DoctorCheck[]
}

/** Checks this host and prints what is there, what is missing, and what that means. Exit code 1 if something is missing. */
export async function runDoctor(services: readonly ServiceFolder[], options: { isJson: boolean }): Promise<void> {
  const sections: Section[] = [{ title: 'Hearth', facts: hostFacts() }]
  for (const service of services) {
    sections.push({
      title: service.title,
      facts: [...packageFacts(service), ...pageFacts(service), ...dataFacts(service), ...(await ownFacts(service))],
    })
  }
  process.stdout.write(options.isJson ? `${JSON.stringify(sections, null, 2)}\n` : sections.map(table).join('\n'))
  if (sections.some(({ facts }) => facts.some(({ state }) => state === 'missing'))) process.exitCode = 1
}

function hostFacts(): DoctorCheck[] {
  const isRoot = process.getuid?.() === 0
  return [
    { name: 'node', state: 'ok', detail: process.version, meaning: 'comes with the packages, whatever the host has' },
    {
      name: 'root',
      state: isRoot ? 'ok' : 'degraded',
      detail: isRoot ? 'yes' : `no, user ${process.getuid?.() ?? 'unknown'}`,
      meaning: isRoot
        ? 'packages are installed and tunnels made when needed'
        : 'missing packages are only named, tunnels are simulated',
    },
  ]
}

function packageFacts(service: ServiceFolder): DoctorCheck[] {
  const packages = Object.entries(service.systemPackages)
  if (!isDebian()) {
    const detail = 'unknown: this is no Debian'
    return packages.map(([name, meaning]) => ({ name, state: 'degraded', detail, meaning }))
  }
  return packages.map(([name, meaning]) => {
    const version = installedVersion(name)
    return { name, state: version === undefined ? 'missing' : 'ok', detail: version ?? 'not installed', meaning }
  })
}

function dataFacts(service: ServiceFolder): DoctorCheck[] {
  const folder = settingsOf(service)['DATA_DIR'] || defaultDataDirectory(service)
  if (!existsSync(folder))
    return [{ name: 'data', state: 'ok', detail: `${folder} (not made yet)`, meaning: 'made at the first start' }]
  const { mode, uid } = statSync(folder)
  const permissions = (mode & 0o777).toString(8)
  const isOurs = uid === process.getuid?.() || process.getuid?.() === 0
  const meaning = !isOurs
    ? 'belongs to another user: the service cannot use it'
    : permissions === '700'
      ? 'only its owner can read it'
      : 'others on this host can read it; the next start closes it'
  const state = !isOurs ? 'missing' : permissions === '700' ? 'ok' : 'degraded'
  return [{ name: 'data', state, detail: `${folder}, mode ${permissions}`, meaning }]
}

const pageFindings = {
  built: { state: 'ok', detail: 'built', meaning: 'the service shows them' },
  old: { state: 'degraded', detail: 'older than their sources', meaning: 'npm run setup builds them' },
  missing: { state: 'degraded', detail: 'not built', meaning: 'only the API answers; npm run setup builds them' },
} as const

function pageFacts(service: ServiceFolder): DoctorCheck[] {
  const state = readPageState(service)
  return state === 'none' ? [] : [{ name: 'web pages', ...pageFindings[state] }]
}

/** Checks of the service itself. A check that fails is a finding too. */
async function ownFacts(service: ServiceFolder): Promise<readonly DoctorCheck[]> {
  const file = commandsFile(service)
  if (!existsSync(file)) return []
  try {
    const { doctor } = (await import(file)) as { doctor?: (settings: Environment) => Promise<DoctorCheck[]> }
    return (await doctor?.(settingsOf(service))) ?? []
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return [{ name: 'examination', state: 'missing', detail, meaning: 'the checks of the service failed' }]
  }
}

const signs = { ok: '✓ ok      ', missing: '✗ missing ', degraded: '! degraded' }

function table({ title, facts }: Section): string {
  const width = (pick: (fact: DoctorCheck) => string) => Math.max(...facts.map((fact) => pick(fact).length))
  const [names, details] = [
    width(({ name }) => name),
    Math.min(
      48,
      width(({ detail }) => detail),
    ),
  ]
  const rows = facts.map(
    ({ name, state, detail, meaning }) =>
      `  ${signs[state]}  ${name.padEnd(names)}  ${detail.padEnd(details)}  ${meaning}`,
  )
  return `${[title, ...rows].join('\n')}\n`
}
