import { readFileSync } from 'node:fs'
import type { DoctorFact } from '@hearth/runtime'

const setting = 'net.ipv4.tcp_migrate_req'
const file = '/proc/sys/net/ipv4/tcp_migrate_req'

/**
 * Whether connections survive a change of the configuration. Caddy opens its ports anew each time; what has connected to the old
 * ones and was not taken up yet is dropped, unless the system hands it over. It is about this machine, where Caddy usually runs.
 * Undefined where the system has no such setting.
 */
export function describeConnections(read: (file: string) => string = readText): DoctorFact | undefined {
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
