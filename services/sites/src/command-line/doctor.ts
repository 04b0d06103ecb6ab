import { readFileSync } from 'node:fs'
import type { DoctorCheck, Environment } from '@hearth/runtime'
import { readConfig } from '../config.ts'
import { readCaddyVersion } from '../deploy/nodes/own-caddy.ts'

const setting = 'net.ipv4.tcp_migrate_req'
const file = '/proc/sys/net/ipv4/tcp_migrate_req'

/**
 * Checks that connections survive a change of the configuration. Caddy opens its ports anew each time; what has connected to the old
 * ones and was not taken up yet is dropped, unless the system hands it over. It is about this machine, where Caddy usually runs.
 * Undefined where the system has no such setting.
 */
export function describeConnections(read: (file: string) => string = readText): DoctorCheck | undefined {
  let value: string
  try {
    value = read(file).trim()
  } catch {
    return undefined
  }
  if (value !== '0')
    return { name: 'connections', state: 'ok', detail: `${setting} = ${value}`, meaning: 'no change drops a visitor' }
  const meaning = `a change drops the few visitors who connect at that moment; sysctl -w ${setting}=1 prevents it`
  return { name: 'connections', state: 'degraded', detail: `${setting} = 0`, meaning }
}

const readText = (path: string): string => readFileSync(path, 'utf8')

/** Checks whether a Caddy can be started on this host. With `CADDY_ADMIN` none is started. */
export async function describeCaddy(environment: Environment): Promise<DoctorCheck> {
  const { caddy } = readConfig(environment)
  const program = caddy.path ?? 'caddy'
  const version = await readCaddyVersion(program)
  if (version !== undefined)
    return { name: 'caddy', state: 'ok', detail: version, meaning: 'the service runs it, and sites can be served' }
  if (caddy.admin !== undefined)
    return { name: 'caddy', state: 'ok', detail: 'not here', meaning: 'not needed: CADDY_ADMIN names one that runs' }
  const meaning = 'nothing serves the sites; npm start installs it, or set CADDY_ADMIN'
  return { name: 'caddy', state: 'missing', detail: `${program} cannot be run`, meaning }
}
