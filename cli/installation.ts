import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { OperatorError } from '@hearth/runtime/operator-error'
import type { CommandNeeds, ServiceFolder } from './services.ts'

/** Tells whether a service is one of a Debian package: its build alone, without sources. */
export function isInstalled({ folder }: ServiceFolder): boolean {
  return !existsSync(join(folder, 'src'))
}

/** Data directory of a service when `DATA_DIR` is not set, as an absolute path or relative to the working directory. */
export function defaultDataDirectory(service: ServiceFolder): string {
  return isInstalled(service) ? `/var/lib/hearth/${service.name}` : join('data', service.name)
}

/**
 * Gives a command of an installed service the settings of `/etc/hearth/<service>.env`; what is set already has precedence. Root
 * becomes the service's user, so that no file in the data directory ends up as root's: then the command runs in a child, and this
 * function returns its exit code. Throws an `OperatorError` where neither root nor the service's user calls.
 */
export function enterService(service: ServiceFolder, program: string, args: readonly string[]): number | undefined {
  if (!isInstalled(service)) return undefined
  const { data = service.name, capability } = needsOf(service, args)
  const environment = { ...readSettings(data), ...process.env }
  environment['DATA_DIR'] ??= `/var/lib/hearth/${data}`
  const user = `hearth-${service.name}`
  // Someone with a data directory of their own needs nothing of the installed service.
  const isOwnData = process.env['DATA_DIR'] !== undefined
  if (process.getuid?.() !== 0 || isOwnData || !isUser(user)) {
    if (!isOwnData && !canRead(environment['DATA_DIR']))
      throw new OperatorError(`the data of ${service.name} belongs to ${user}; run this with sudo`)
    Object.assign(process.env, environment)
    return undefined
  }
  const rights =
    capability === undefined
      ? ['--inh-caps=-all']
      : [`--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`]
  const drop = ['--reuid', user, '--regid', user, '--init-groups', ...rights, '--', process.execPath]
  const result = spawnSync('setpriv', [...drop, ...process.execArgv, program, ...args], {
    stdio: 'inherit',
    env: environment,
  })
  if (result.error) throw new OperatorError(`cannot become ${user}: ${result.error.message}`)
  return result.status ?? 1
}

/** Returns what a command needs; `args` begin with the name of the service, options come after the words of the command. */
export function needsOf({ commands }: Pick<ServiceFolder, 'commands'>, [, ...args]: readonly string[]): CommandNeeds {
  const found = Object.keys(commands).find((words) => words.split(' ').every((word, index) => args[index] === word))
  return (found === undefined ? undefined : commands[found]) ?? {}
}

/** Returns the settings a start would have: those of the environment, and of an installed service those of its file. */
export function settingsOf(service: ServiceFolder): NodeJS.Dict<string> {
  if (!isInstalled(service)) return process.env
  return { DATA_DIR: defaultDataDirectory(service), ...readSettings(service.name), ...process.env }
}

function readSettings(name: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(`/etc/hearth/${name}.env`, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Without the right to read it there is none to the data either, which is said in other words.
    if (code === 'ENOENT' || code === 'EACCES') return {}
    throw new OperatorError(`cannot read /etc/hearth/${name}.env: ${message}`)
  }
}

const isUser = (name: string): boolean => spawnSync('getent', ['passwd', name]).status === 0

function canRead(folder: string): boolean {
  return spawnSync('test', ['-r', folder, '-a', '-w', folder]).status === 0
}
