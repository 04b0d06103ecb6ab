import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { defaultProblems, type DocumentedDefaults } from './documented-defaults.ts'
import { refusalProblems, wrongTextProblems, type WrongPaths, type WrongSettings } from './wrong-settings.ts'

type Environment = Readonly<Record<string, string>>

/** A variable and an environment in which it is wrong. */
export type WrongCase = readonly [name: string, environment: Environment]

/** A service's settings: what its README documents, what is wrong as text, and what is wrong on this machine. */
export interface ServiceSettings extends Omit<DocumentedDefaults, 'variables'>, WrongSettings {
  readonly service: string
  /** Variables of every start and command, so that nothing of the machine is touched. */
  readonly environment?: Environment
  /** Settings that name a file to read. */
  readonly files: readonly string[]
  /** Settings that name a program to run. */
  readonly programs: readonly string[]
  /** Further environments that `serve` refuses. */
  readonly alsoWrong?: (places: WrongPaths) => readonly WrongCase[]
  /** Commands beside `serve`. */
  readonly commands: readonly (readonly string[])[]
  /** Settings that each of these commands reads: one wrong value of each is tried. */
  readonly readByCommands: readonly string[]
}

/** Settings that the service refuses at its start, beside wrong texts: those of all services, then its own. */
export function wrongAtStart(settings: ServiceSettings, places: WrongPaths): WrongCase[] {
  const { directory, file, belowFile, nowhere } = places
  const each = (names: readonly string[], values: readonly string[]) =>
    names.flatMap((name) => values.map((value) => [name, { [name]: value }] as const))
  return [
    ...each(['DATA_DIR'], [file, belowFile]),
    ...each(settings.files, [directory, file, nowhere]),
    ...each(settings.programs, [nowhere, file, directory]),
    ...('DATABASE_URL' in settings.schema.shape ? each(['DATABASE_URL'], ['postgres://hearth@127.0.0.1:1/x']) : []),
    ...each(['BIND_ADDRESS'], ['192.0.2.1']),
    ...(settings.alsoWrong?.(places) ?? []),
  ]
}

/** Registers the tests that the settings of every service pass. */
export function testSettings(settings: ServiceSettings): void {
  const { service, environment = {}, commands, readByCommands } = settings
  const inPlace = (cases: readonly WrongCase[]) =>
    cases.map(([name, wrong]) => [name, { ...environment, ...wrong }] as const)

  test('every setting has an effect, and the default that the README documents', () => {
    assert.deepEqual(defaultProblems({ ...settings, variables: Object.keys(settings.schema.shape) }), [])
  })

  test('three wrong values of every setting are refused with its name', () => {
    assert.deepEqual(wrongTextProblems(settings), [])
  })

  test('a start with a wrong path, key or address is refused in one line and writes nothing', async () => {
    const faults = await refusalProblems([service, 'serve'], (places) => inPlace(wrongAtStart(settings, places)))
    assert.deepEqual(faults, [])
  })

  test('a start on a port that is taken leaves a fresh data directory as it was', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const BIND_PORT = String((server.address() as AddressInfo).port)
    const faults = await refusalProblems([service, 'serve'], () => inPlace([['BIND_PORT', { BIND_PORT }]]))
    server.close()
    assert.deepEqual(faults, [])
  })

  test('every command refuses wrong settings in one line and writes nothing', async () => {
    const faults = await Promise.all(
      commands.map((args) =>
        refusalProblems([service, ...args], (places) => {
          const cases = wrongAtStart(settings, places)
          return inPlace(readByCommands.map((name) => cases.find(([known]) => known === name)!))
        }),
      ),
    )
    assert.deepEqual(faults.flat(), [])
  })
}
