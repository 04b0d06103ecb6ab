import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@hearth/runtime/operator-error'

/** The root of the repository. */
export const root = join(import.meta.dirname, '..')

/** Debian packages by name, each with what it is for. */
export type Packages = Readonly<Record<string, string>>

/** What a command of an installed service needs that is not the same for all. */
export interface CommandNeeds {
  /** Name of its data directory and settings file; that of the service when left out. */
  readonly data?: string
  /** Capability that it keeps, as `setpriv` names it. */
  readonly capability?: string
}

/** A service as its folder describes it. */
export interface ServiceFolder {
  readonly name: string
  readonly folder: string
  readonly title: string
  readonly port: number
  /** By the words of the command. */
  readonly commands: Readonly<Record<string, CommandNeeds>>
  readonly systemPackages: Packages
  readonly testPackages: Packages
  /** Packages of Debian's unstable suite that tests use without an installation. */
  readonly unpackedTestPackages: Packages
}

interface Manifest {
  hearth?: { title?: string; port?: number; commands?: ServiceFolder['commands'] }
  systemPackages?: Packages
  testPackages?: Packages
  unpackedTestPackages?: Packages
}

/** Every service there is: a folder under `services` with a package. Nothing else lists them. */
export function findServices(from = root): ServiceFolder[] {
  const services = join(from, 'services')
  return readdirSync(services, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(services, entry.name, 'package.json')))
    .map((entry) => describe(entry.name, join(services, entry.name)))
    .sort((a, b) => a.port - b.port)
}

/** The services of these names, all when there is none. Throws an `OperatorError` for a name no service has. */
export function chooseServices(services: readonly ServiceFolder[], names: readonly string[]): ServiceFolder[] {
  const unknown = names.find((name) => !services.some((service) => service.name === name))
  if (unknown !== undefined) {
    const known = services.map(({ name }) => name).join(', ')
    throw new OperatorError(`there is no service ${unknown}; there are ${known}`)
  }
  return services.filter(({ name }) => names.length === 0 || names.includes(name))
}

/** The packages the checks themselves need, from the root's package. */
export function checkPackages(from = root): Packages {
  return readManifest(from).testPackages ?? {}
}

function describe(name: string, folder: string): ServiceFolder {
  const { hearth = {}, systemPackages = {}, testPackages = {}, unpackedTestPackages = {} } = readManifest(folder)
  const { title = name, port = 0, commands = {} } = hearth
  return { name, folder, title, port, commands, systemPackages, testPackages, unpackedTestPackages }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}
