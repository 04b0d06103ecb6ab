import { readFileSync } from 'node:fs'
import { OperatorError } from '@hearth/runtime'
import { Option, type Command } from 'commander'
import type { TimeSeriesView } from '../time-series/schema.ts'
import { callService } from './call-service.ts'

const path = '/admin/api/time-series'
const names = {
  url: '--url',
  organization: '--org',
  bucket: '--bucket',
  token: '--token-file',
  database: '--database',
  username: '--username',
  password: '--password-file',
}

interface OnOptions {
  readonly url?: string
  readonly api?: string
  readonly org?: string
  readonly bucket?: string
  readonly tokenFile?: string
  readonly database?: string
  readonly username?: string
  readonly passwordFile?: string
}

/** Adds the commands of the time series: on, off and status. */
export function addTimeSeriesCommands(program: Command): void {
  const series = program.command('time-series').description('values to InfluxDB, VictoriaMetrics and the like')
  series
    .command('on')
    .description('write to a server; what is left out stays as it was')
    .option('--url <address>', 'http://HOST:PORT or https://HOST')
    .addOption(new Option('--api <version>', 'v2 with a token, v1 with a user').choices(['v1', 'v2']))
    .option('--org <name>', 'organization, v2')
    .option('--bucket <name>', 'bucket, v2')
    .option('--token-file <file>', 'file with the token, v2')
    .option('--database <name>', 'database, v1')
    .option('--username <name>', 'user, v1')
    .option('--password-file <file>', 'file with the password of the user, v1')
    .action(async ({ url, api, org, bucket, tokenFile, database, username, passwordFile }: OnOptions) => {
      await change({
        enabled: true,
        ...(url !== undefined && { url }),
        ...(api !== undefined && { api }),
        ...(org !== undefined && { organization: org }),
        ...(bucket !== undefined && { bucket }),
        ...(tokenFile !== undefined && { token: readSecret('--token-file', tokenFile) }),
        ...(database !== undefined && { database }),
        ...(username !== undefined && { username }),
        ...(passwordFile !== undefined && { password: readSecret('--password-file', passwordFile) }),
      })
      process.stderr.write('time series are on\n')
    })
  series
    .command('off')
    .description('stop writing; what waits in the buffer stays there')
    .action(async () => {
      await change({ enabled: false })
      process.stderr.write('time series are off\n')
    })
  series
    .command('status')
    .description('print the state: off, writing or waiting')
    .action(async () => {
      const { status } = (await callService({ method: 'GET', path })) as TimeSeriesView
      process.stdout.write(`${status.state}\n`)
      if (status.last_error !== null) process.stderr.write(`${status.last_error}\n`)
    })
}

async function change(changes: Record<string, unknown>): Promise<void> {
  const { settings } = (await callService({ method: 'GET', path })) as TimeSeriesView
  const { has_token: _token, has_password: _password, ...values } = settings
  await callService({ method: 'PUT', path, body: { ...values, ...changes } }, names)
}

function readSecret(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new OperatorError(`${option}: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
