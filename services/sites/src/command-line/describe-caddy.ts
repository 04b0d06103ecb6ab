import type { DoctorFact, Environment } from '@hearth/runtime'
import { execa } from 'execa'
import { readConfig } from '../config.ts'

/** How long `caddy version` may take, milliseconds. */
const versionLimit = 5000

/** Whether a Caddy can be started on this host, and which. With `CADDY_ADMIN` none is started. */
export async function describeCaddy(environment: Environment): Promise<DoctorFact> {
  const { caddy } = readConfig(environment)
  const program = caddy.path ?? 'caddy'
  const { exitCode, stdout } = await execa(program, ['version'], {
    reject: false,
    timeout: versionLimit,
    stdin: 'ignore',
    maxBuffer: 10_000,
  })
  const [version = ''] = stdout.trim().split(/\s/)
  if (exitCode === 0)
    return { name: 'caddy', state: 'ok', detail: version, meaning: 'the service runs it, and sites can be served' }
  if (caddy.admin !== undefined)
    return { name: 'caddy', state: 'ok', detail: 'not here', meaning: 'not needed: CADDY_ADMIN names one that runs' }
  const meaning = 'nothing serves the sites; npm start installs it, or set CADDY_ADMIN'
  return { name: 'caddy', state: 'missing', detail: `${program} cannot be run`, meaning }
}
